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
}
