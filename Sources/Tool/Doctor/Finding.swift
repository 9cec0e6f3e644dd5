import CommandSupport
import Spelling

/// What was looked at, what was found there, and what mends it.
package struct Finding: Hashable, Sendable {
    enum Level: String, Sendable {
        case ok
        /// All works, but not as well as it could.
        case hint
        /// Something does not work.
        case problem
    }

    /// `kernel`, `bus`, `hci0`; scripts match it.
    let subject: String
    let level: Level
    let code: MachineCode?
    let found: String
    /// For a shell, word for word.
    let command: String?
    /// What no command can do.
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

/// A radio that `--radio` can name, and what it can do on this machine.
package struct RadioVerdict: Hashable, Sendable {
    let radio: String
    let works: Bool
    let says: String

    var json: String {
        "{\"radio\": \(radio.quoted), \"works\": \(works), \"says\": \(says.quoted)}"
    }
}

func quoted(_ text: String?) -> String { text?.quoted ?? "null" }
