import Testing

@testable import CommandSupport

@Suite struct ManualPageTests {
    static let grammar = CommandGrammar(
        "run", "Run days", operands: [.repeated("SUITE", "One of:\nrest   a day\nrun    a race\nor a path")],
        options: [.option("--listen", "ADDRESS", required: true, "An address\n.of yours"), .flag("-q", #"Don't \"#)],
        lists: [.init("Keys", [("up, down", "Faster or slower")])])
    static let topic = HelpTopic("radios", "Where they meet", [.init("Radios", [("bluez", "This machine's")])])
    static let program = Program(
        "strap", "Strap is a strap: 1 µs.", "It's slow.", groups: [.init("Try it", [grammar])], topics: [topic])
    static let status = ManualPage.Section("EXIT STATUS", [("0", "Success")])

    @Test func `The page of a command has its operands and options`() {
        let page = ManualPage(of: Self.grammar, in: Self.program, [Self.status])
        #expect(
            page.text(version: "strap 1", date: "2026-11-24") == #"""
                .TH "STRAP\-RUN" 1 "2026-11-24" "strap 1"
                .SH NAME
                strap\-run \- Run days
                .SH SYNOPSIS
                .nh
                .ad l
                \fBstrap run\fR \fB\-\-listen\fR \fIADDRESS\fR [\fIOPTION\fR...] \fISUITE...\fR
                .ad
                .hy
                .SH OPERANDS
                .TP
                \fISUITE\fR
                One of:
                .RS
                .nf
                rest   a day
                run    a race
                .fi
                .RE
                or a path
                .SH OPTIONS
                .TP
                \fB\-\-listen\fR \fIADDRESS\fR
                An address
                \&.of yours
                .TP
                \fB\-q\fR
                Don\(aqt \e
                .TP
                \fB\-\-help\fR
                Print this help
                .SH KEYS
                .TP
                \fBup, down\fR
                Faster or slower
                .SH EXIT STATUS
                .TP
                \fB0\fR
                Success
                .SH SEE ALSO
                \fBstrap\fR(1)

                """#)
    }

    @Test func `The page of the program lists the commands`() {
        let text = ManualPage(of: Self.program, [Self.status]).text(version: "strap 1", date: "")
        let lines = text.split(separator: "\n").map(String.init)
        let start = [#".TH "STRAP" 1 "" "strap 1""#, ".SH NAME", #"strap \- is a strap: 1 \[u00B5]s"#]
        #expect(Array(lines.prefix(3)) == start)
        #expect(lines.contains(#"\fBstrap\fR \fICOMMAND\fR [\fIOPTION\fR...] [\fIOPERAND\fR...]"#))
        #expect(text.contains(".SH DESCRIPTION\nStrap is a strap: 1 \\[u00B5]s. It\\(aqs slow.\n"))
        #expect(text.contains(".SH COMMANDS\n.SS Try it\n.TP\n\\fBrun\\fR\nRun days\n"))
        #expect(text.contains(".SH RADIOS\n.TP\n\\fBbluez\\fR\nThis machine\\(aqs\n"))
        #expect(text.hasSuffix(".SH SEE ALSO\n\\fBstrap\\-run\\fR(1)\n"))
    }

    @Test func `Groups of options are parts of a section`() {
        let grammar = CommandGrammar("run", "Run", groups: [.init("Output", [.flag("-q", "Print nothing")])])
        let text = ManualPage(of: grammar, in: Self.program, []).text(version: "strap 1", date: "")
        #expect(text.contains(".SH OPTIONS\n.SS Output\n.TP\n\\fB\\-q\\fR\nPrint nothing\n.TP\n\\fB\\-\\-help\\fR\n"))
    }

    @Test func `A section can have text instead of a list`() {
        let page = ManualPage(of: Self.program, [.init("LICENSE", text: "Apache License 2.0")])
        #expect(page.text(version: "1", date: "").contains(".SH LICENSE\nApache License 2.0\n.SH SEE ALSO\n"))
    }

    @Test(arguments: [
        (".TH", "\\&.TH"), ("a.b", "a.b"), ("-", "\\-"), ("'x'", "\\(aqx\\(aq"), ("\\", "\\e"), ("a\nb", "a b"),
        ("\u{1F600}", "\\[u1F600]"), ("\"~^`", "\\(dq\\(ti\\(ha\\(ga"), ("", ""),
    ])
    func `Text has no commands of roff`(text: String, escaped: String) { #expect(Roff.escaped(text) == escaped) }
}
