package import Arguments
package import CommandSupport
import TextFormatting

/// The radio to check for, and its adapters if they are named.
package struct WantedRadio: Hashable, Sendable {
    let name: String
    let adapters: [String]

    init(name: String, adapters: [String]) { (self.name, self.adapters) = (name, adapters) }

    /// Reads `virtual`, `bluez`, `bluez:hci0` or `bluez:hci0,hci1`.
    package init(_ text: String) throws(CommandFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let adapters = parts.dropFirst().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        guard text == "virtual" || parts[0] == "bluez" && adapters.allSatisfy(isAdapter) else {
            throw CommandFailure(
                .usage, "doctor supports --radio virtual and --radio bluez[:hci0[,hci1]], not \(text.quoted)")
        }
        self.init(name: String(parts[0]), adapters: adapters.map(String.init))
    }
}

/// The output of `doctor`.
package struct DoctorReport: Sendable {
    let findings: [Finding]
    let radios: [RadioVerdict]
    package let code: ExitCode

    package init(_ diagnosis: Diagnosis, _ wanted: WantedRadio) {
        findings = diagnosis.findings
        radios = diagnosis.radios(adapters: wanted.adapters)
        code = radios.contains { $0.radio == wanted.name && $0.works } ? .success : .environment
    }

    package var json: String {
        "{\"lubdub\": \(version.quoted), \"findings\": [\(findings.map(\.json).joined(separator: ", "))], "
            + "\"radios\": [\(radios.map(\.json).joined(separator: ", "))], \"status\": \(code.status)}"
    }

    /// A line for each finding, followed by its fix; then a line for each radio.
    package func lines(_ paint: Paint) -> [String] {
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
