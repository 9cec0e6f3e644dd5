import Basics
import Bluetooth
import Documents

extension ServiceDescription {
    /// An example of a client's line for each key.
    private var lines: [String] {
        var keys: Set<String> = []
        return characteristics.map(\.client).compactMap { client in
            guard let example = client.example, keys.insert(client.key).inserted else { return nil }
            return "{\"\(client.key)\": \(example.json)}"
        }
    }

    /// The word in a scenario, with the field that selects the service.
    private var word: String {
        variant.map { "`\(name)` with `\"\($0.key)\": \"\($0.word)\"`" } ?? "`\(name)`"
    }

    package var row: String {
        let number = uuid.number == nil ? "" : "0x\(uuid): "
        return "| \(word) | \(number)\(about) |"
    }

    package var rowOfLines: String {
        "| \(word)\(isSought ? " *" : "") | \(lines.map { "`\($0)`" }.joined(separator: ", ")) |"
    }
}
