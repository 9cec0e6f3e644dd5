import Basics
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("strap.json", "strap.json"), ("-x.json", "./-x.json"), ("--force", "./--force"), ("-", "-"),
        ("-my strap.json", "'./-my strap.json'"), ("a/-x.json", "a/-x.json"), ("it's", #"'it'\''s'"#), ("", "''"),
        ("$(id)", "'$(id)'"), ("~/x", "'~/x'"), ("a;b", "'a;b'"), ("–x", "'–x'"),
    ]) func `A path in a proposed command is one word, and never an option`(path: String, word: String) {
        #expect(path.operandForShell == word)
    }

    /// A terminal shows control characters as escapes, which a shell would take for other words.
    @Test(arguments: [
        ("a\u{1}b", #""$(printf %b 'a\0001b')""#), ("a\nb", #""$(printf %b 'a\0012b')""#),
        ("it's\t\\", #""$(printf %b 'it'\''s\0011\\')""#),
        ("\u{85}\u{202E}é", #""$(printf %b '\0302\0205\0342\0200\0256é')""#),
        ("'\u{301}", #"''"# + #"\'"# + "'\u{301}'"),
    ]) func `A word with control characters is printed without them`(word: String, printed: String) {
        #expect(Array(word.forShell.unicodeScalars) == Array(printed.unicodeScalars))
        #expect(word.forShell.unicodeScalars.filter(\.isControl).isEmpty)
    }
}
