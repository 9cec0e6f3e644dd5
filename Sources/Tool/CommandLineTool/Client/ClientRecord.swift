import Arguments
import Expectations
import Simulation

/// What is known of a client under test beside what the event log says.
struct ClientRecord: Sendable {
    /// How its shell ended before the case was over.
    struct Exit: Sendable {
        /// 128 and more for signals.
        let status: UInt8
        let at: Instant

        var isFailure: Bool { status != 0 }
    }

    /// The lines that it has printed, but for those that were left out.
    var lines = 0
    /// Those among them with a value of a sensor.
    var measurements = 0
    /// How many lines were left out, since too much was printed that is not JSON.
    var textLeftOut = 0
    var exit: Exit?
    /// Whether time has passed, since its host has said HCI Reset, or is the kernel and the client could be started.
    var hasPlayed = false
    /// Why it has not, where that is nothing that a process of its own did.
    var absence: String?

    /// How long it had waited for a processor when its host was not waited for any longer.
    var waited = Duration.zero

    /// Whether this machine kept it from beginning: for most of its time it had no processor.
    var isStarved: Bool { !hasPlayed && exit == nil && waited > ProcessSession.patience / 2 }

    /// What is wrong with it, whatever was expected; nil when nothing is.
    var fault: ClientFault? {
        guard hasPlayed else {
            if let absence { return ClientFault(verdict: .inconclusive, reason: absence) }
            switch exit?.status {
            case 126?, 127?:
                let why = exit?.status == 126 ? "not executable" : "not found"
                return ClientFault(verdict: .error, reason: "it could not be started: /bin/sh says \(why)")
            case 0?:
                return ClientFault(
                    verdict: .inconclusive, reason: "it ended with status 0 before its host said HCI Reset")
            case let status?:
                return ClientFault(verdict: .fail, reason: "it \(Self.words(status)) before its host said HCI Reset")
            case nil:
                let hint =
                    isStarved
                    ? "it waited \(waited) of them for a processor" : "LUBDUB_CONTROLLER says where the controller is"
                return ClientFault(
                    verdict: .inconclusive,
                    reason:
                        "its host did not say HCI Reset within \(ProcessSession.patience.components.seconds) s; \(hint)"
                )
            }
        }
        guard let exit, exit.isFailure else { return nil }
        return ClientFault(
            verdict: .fail, reason: "it \(Self.words(exit.status)) at \(exit.at) s, before the case was over")
    }

    private static func words(_ status: UInt8) -> String {
        let signals: [UInt8: String] = [
            1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
            11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
        ]
        guard status > 128, let name = signals[status - 128] else { return "ended with status \(status)" }
        return "was ended by signal \(status - 128) (\(name))"
    }
}

/// A client's fault, whatever was expected of it.
struct ClientFault: Sendable {
    /// What becomes of the case: `fail`, `inconclusive`, or `error` where there was no client to judge.
    let verdict: Verdict
    let reason: String
}
