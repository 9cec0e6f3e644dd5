import CommandSupport
import TextFormatting

/// The result of an examination, and its fix.
package struct Finding: Hashable, Sendable {
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

    static func ok(_ subject: String, _ found: String) -> Finding {
        Finding(subject: subject, level: .ok, code: nil, found: found, command: nil, advice: nil)
    }

    static func hint(
        _ code: MachineCode, _ subject: String, _ found: String, fix: String? = nil, advice: String? = nil
    ) -> Finding {
        Finding(subject: subject, level: .hint, code: code, found: found, command: fix, advice: advice)
    }

    static func problem(
        _ code: MachineCode, _ subject: String, _ found: String, fix: String? = nil, advice: String? = nil
    ) -> Finding {
        Finding(subject: subject, level: .problem, code: code, found: found, command: fix, advice: advice)
    }

    var json: String {
        "{\"subject\": \(subject.quoted), \"level\": \(level.rawValue.quoted), \"code\": \(quoted(code?.rawValue)), "
            + "\"found\": \(found.quoted), \"mend\": \(quoted(command)), \"advice\": \(quoted(advice))}"
    }
}

/// A value of `--radio`, and whether it works on this machine.
package struct RadioVerdict: Hashable, Sendable {
    let radio: String
    let works: Bool
    let says: String

    var json: String {
        "{\"radio\": \(radio.quoted), \"works\": \(works), \"says\": \(says.quoted)}"
    }
}

func quoted(_ text: String?) -> String { text?.quoted ?? "null" }
