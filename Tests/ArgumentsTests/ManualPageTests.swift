import Testing

@testable import Arguments

@Suite struct ManualPageTests {
    static let grammar = Grammar(
        "run", "Run days", operands: [.repeated("SUITE", "One of:\nrest   a day\nrun    a race\nor a path")],
        options: [.option("--listen", "ADDRESS", required: true, "An address\n.of yours"), .flag("-q", #"Don't \"#)],
        lists: [.init("Keys", [("up, down", "Faster or slower")])])
    static let program = Program("strap", "A strap: 1 µs", commands: [grammar])
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
        let start = [#".TH "STRAP" 1 "" "strap 1""#, ".SH NAME", #"strap \- A strap: 1 \[u00B5]s"#]
        #expect(Array(lines.prefix(3)) == start)
        #expect(lines.contains(#"\fBstrap\fR \fICOMMAND\fR [\fIOPTION\fR...] [\fIOPERAND\fR...]"#))
        #expect(text.contains(".TP\n\\fBrun\\fR\nRun days\n"))
        #expect(text.hasSuffix(".SH SEE ALSO\n\\fBstrap\\-run\\fR(1)\n"))
    }

    @Test(arguments: [
        (".TH", "\\&.TH"), ("a.b", "a.b"), ("-", "\\-"), ("'x'", "\\(aqx\\(aq"), ("\\", "\\e"), ("a\nb", "a b"),
        ("\u{1F600}", "\\[u1F600]"), ("\"~^`", "\\(dq\\(ti\\(ha\\(ga"), ("", ""),
    ])
    func `Text has no commands of roff`(text: String, escaped: String) { #expect(Roff.escaped(text) == escaped) }
}
