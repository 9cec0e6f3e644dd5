import Basics
package import Documents

extension Tables {
    /// What authors write for keys and values of the language.
    package static let advice = Grammar.Advice(synonyms: Synonyms.all, correction: correction, anywhere: variable)

    /// Those for an included file.
    static let includedAdvice = Grammar.Advice(synonyms: Synonyms.all, correction: correction, anywhere: variable) {
        key in
        scenarioFields.contains { $0.key == key }
            ? "an included file cannot have \(key.quoted): write it in the scenario that includes this file" : nil
    }

    /// What is probably meant as a variable: `${rest} s`, `$rest`, `{{rest}}`.
    @Sendable private static func variable(_ text: String) -> String? {
        // The expression takes a time that grows with the square of the length.
        guard text.utf8.count <= 256, text.utf8.contains(UInt8(ascii: "$")) || text.contains("{{"),
            let match = text.wholeMatch(of: #/(.*?)\$?(?:\{\{|\$|\$\{) *([a-z][a-z0-9_]*) *\}{0,2}(.*?)/#)
        else { return nil }
        let isPart = !match.1.isEmpty || !match.3.isEmpty
        return "write \("${\(match.2)}".quoted)" + (isPart ? ": a variable replaces the whole string" : "")
    }

    @Sendable private static func correction(_ definition: String, _ found: Node) -> String? {
        switch (definition, found.value) {
        case ("curve", .array(let nodes)) where !nodes.isEmpty && nodes.allSatisfy(\.isNumber):
            let values = nodes.count <= 8 ? found.json : "[…]"
            let list = #"write {"curve": "list", "values": \#(values), "period": "1 s"}"#
            guard nodes.count == 2 else { return list }
            return list
                + #", or {"curve": "ramp", "start": \#(nodes[0].json), "end": \#(nodes[1].json), "over": "10 s"}"#
        case ("event", .array), ("moment", .array):
            return "write one event or time here, and a rule or expectation for each of the others"
        default: return nil
        }
    }
}
