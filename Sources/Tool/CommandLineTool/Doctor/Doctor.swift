import Arguments
import Spelling

let doctorGrammar = Arguments.Grammar(
    "doctor", "say what works on this machine, and the command that mends what does not",
    options: [
        .option(
            "--radio", "RADIO",
            "what is needed: virtual (default) or bluez[:hci0[,hci1]]; the exit status is 0 if it works, else 3"),
        .flag(
            "--json",
            "print one JSON object instead: {\"lubdub\": VERSION, \"findings\": [{\"subject\", \"level\": ok|hint|problem,\n\"code\", \"found\", \"mend\": COMMAND, \"advice\"}], \"radios\": [{\"radio\", \"works\", \"says\"}], \"status\"}"
        ),
        colorOption,
    ])

func doctor(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let wanted = try wantedRadio(invocation)
    let paint = try Paint(invocation, for: Console.descriptor)
    let facts: MachineFacts
    do { facts = try Asking.all() } catch { throw CommandFailure(.internalError, "lubdub: \(error)") }
    let report = DoctorReport(Diagnosis(facts), wanted)
    for line in invocation.has("--json") ? [report.json] : report.lines(paint) { Console.print(line) }
    return report.code
}

/// What the command line needs: a radio's name, and its adapters if they are named.
struct WantedRadio: Hashable, Sendable {
    let name: String
    let adapters: [String]
}

private func wantedRadio(_ invocation: Invocation) throws(CommandFailure) -> WantedRadio {
    let text = invocation.text("--radio") ?? "virtual"
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let adapters = parts.dropFirst().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard text == "virtual" || parts[0] == "bluez" && adapters.allSatisfy(isAdapter) else {
        throw CommandFailure(
            .usage, "lubdub: --radio \(text.quoted) is nothing that doctor can look at; virtual and bluez:hci0 are")
    }
    return WantedRadio(name: String(parts[0]), adapters: adapters.map(String.init))
}

/// What `doctor` says.
struct DoctorReport: Sendable {
    let findings: [Finding]
    let radios: [RadioVerdict]
    let code: ExitCode

    init(_ diagnosis: Diagnosis, _ wanted: WantedRadio) {
        findings = diagnosis.findings
        radios = diagnosis.radios(adapters: wanted.adapters)
        code = radios.contains { $0.radio == wanted.name && $0.works } ? .success : .environment
    }

    var json: String {
        "{\"lubdub\": \(version.quoted), \"findings\": [\(findings.map(\.json).joined(separator: ", "))], "
            + "\"radios\": [\(radios.map(\.json).joined(separator: ", "))], \"status\": \(code.status)}"
    }

    /// For people: a line for each finding, with what mends it below; then a line for each radio.
    func lines(_ paint: Paint) -> [String] {
        let width = (findings.map(\.subject) + radios.map(\.radio)).map(\.count).max() ?? 0
        let margin = "".padded(to: width + 11)
        var lines: [String] = []
        for finding in findings {
            let code = finding.code.map { " (\($0.rawValue))" } ?? ""
            lines.append(
                "\(finding.subject.padded(to: width))  \(label(finding.level, paint))  \(finding.found)\(code)")
            if let command = finding.command { lines.append("\(margin)$ \(paint(command, .state))") }
            if let advice = finding.advice { lines.append("\(margin)\(advice)") }
        }
        lines.append("")
        for radio in radios {
            lines.append(
                "\(radio.radio.padded(to: width))  \(radio.works ? "works  " : paint("no     ", .warning))  \(radio.says)"
            )
        }
        return lines
    }

    private func label(_ level: Finding.Level, _ paint: Paint) -> String {
        switch level {
        case .ok: "ok     "
        case .hint: paint("hint   ", .packet)
        case .problem: paint("problem", .warning)
        }
    }
}
