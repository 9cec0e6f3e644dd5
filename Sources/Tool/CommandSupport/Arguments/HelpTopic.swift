/// A subject of several commands, which `help TOPIC` explains once.
package struct HelpTopic: Sendable {
    package let name: String
    package let summary: String
    package let lists: [CommandGrammar.List]

    package init(_ name: String, _ summary: String, _ lists: [CommandGrammar.List]) {
        (self.name, self.summary, self.lists) = (name, summary, lists)
    }

    /// The help in lines of at most `width` characters.
    func usage(width: Int) -> String { ([summary] + sections(lists, width: width)).joined(separator: "\n") }
}
