import Basics
import CommandSupport
import Drivers

/// The result of an examination, and its fix.
struct DoctorFinding: Hashable, Sendable {
    enum Level: String, Sendable {
        case ok
        /// It works, but not as well as it could.
        case hint
        /// It does not work.
        case problem
    }

    /// `kernel`, `bus`, `hci0`; scripts match this.
    let subject: String
    let level: Level
    let code: MachineCode?
    let found: String
    /// A command line for a shell.
    let command: String?
    /// A step that is not a command.
    let advice: String?

    var json: String {
        "{\"subject\": \(subject.quoted), \"level\": \(level.rawValue.quoted), \"code\": \(quoted(code?.rawValue)), "
            + "\"found\": \(found.quoted), \"mend\": \(quoted(command)), \"advice\": \(quoted(advice))}"
    }
}

/// A value of `--radio`, and whether it works on this machine.
struct RadioVerdict: Hashable, Sendable {
    let radio: String
    let works: Bool
    let says: String

    var json: String {
        "{\"radio\": \(radio.quoted), \"works\": \(works), \"says\": \(says.quoted)}"
    }
}

func quoted(_ text: String?) -> String { text?.quoted ?? "null" }

/// The radio to check for, and its adapters if they are named.
struct WantedRadio: Hashable, Sendable {
    /// The name of adapters without bluetoothd.
    static let adapters = "hci:N"
    static let virtual = WantedRadio(name: "virtual", adapters: [])

    let name: String
    let adapters: [String]

    init(name: String, adapters: [String]) { (self.name, self.adapters) = (name, adapters) }

    /// Reads `virtual`, `bluez`, `bluez:hci0`, `bluez:hci0,hci1`, `hci:0` or `hci:0,1`.
    init(_ text: String) throws(Obstacle) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let adapters = parts.dropFirst().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        if parts[0] == "hci", !adapters.isEmpty, adapters.allSatisfy({ UInt16($0) != nil }) {
            self.init(name: Self.adapters, adapters: adapters.map { "hci\($0)" })
            return
        }
        guard text == "virtual" || parts[0] == "bluez" && adapters.allSatisfy(isAdapter) else {
            throw Obstacle(
                .usage,
                "doctor supports --radio virtual, --radio bluez[:hci0[,hci1]] and --radio hci:0[,1], not \(text.quoted)"
            )
        }
        self.init(name: String(parts[0]), adapters: adapters.map(String.init))
    }

    /// The value of `--radio`.
    var option: String {
        guard !adapters.isEmpty else { return name }
        return name == Self.adapters
            ? "hci:" + adapters.map { $0.dropFirst("hci".count) }.joined(separator: ",")
            : "\(name):\(adapters.joined(separator: ","))"
    }
}

/// The output of `doctor`.
struct DoctorReport: Sendable {
    let findings: [DoctorFinding]
    let radios: [RadioVerdict]
    let code: ExitCode

    init(_ diagnosis: Diagnosis) {
        findings = diagnosis.findings
        radios = diagnosis.radios()
        code = radios.contains { $0.radio == diagnosis.wanted.name && $0.works } ? .success : .environment
    }

    var json: String {
        "{\"lubdub\": \(version.quoted), \"findings\": [\(findings.map(\.json).joined(separator: ", "))], "
            + "\"radios\": [\(radios.map(\.json).joined(separator: ", "))], \"status\": \(code.status)}"
    }

    /// A line for each finding, followed by its fix; then a line for each radio.
    func lines(_ paint: Paint) -> [TerminalLine] {
        let width = (findings.map(\.subject) + radios.map(\.radio)).map(\.count).max() ?? 0
        let margin = "".padded(to: width + 11)
        var lines: [TerminalLine] = []
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

    private func label(_ level: DoctorFinding.Level, _ paint: Paint) -> TerminalLine {
        switch level {
        case .ok: "ok     "
        case .hint: paint("hint   ", .packet)
        case .problem: paint("problem", .warning)
        }
    }
}
