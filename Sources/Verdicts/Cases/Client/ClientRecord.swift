package import Basics
package import Expectations

/// Facts about a client under test that the event log does not contain.
package struct ClientRecord: Sendable {
    /// How its shell exited before the end of the case.
    package struct Exit: Sendable {
        /// The exit status; 128 plus the number of a signal.
        package let status: UInt8
        package let at: Instant

        package var isFailure: Bool { status != 0 }
    }

    /// The number of its lines, without those that were discarded.
    package var lines = 0
    /// The number of lines with a sensor value.
    package var measurements = 0
    /// The number of lines that were discarded because too much of the output is not JSON.
    package var textLeftOut = 0
    /// Its lines that are not of the contract.
    var printed = PrintedLines()
    package var exit: Exit?
    /// Whether nothing is left after the exit that could print a line or reach the controller.
    package var isGone = false
    /// Whether the case's time has started: its host has sent HCI Reset, or its host is the kernel and it could be started.
    package var hasPlayed = false
    /// What it wrote to its standard error.
    var errors = ClientErrors()
    /// Why it could not be supervised to the end.
    package var loss: String?
    /// Why the time has not started, unless its process is the reason.
    package var absence: String?
    /// Whether it is a program that uses the system's Bluetooth service.
    var usesSystem = false
    /// What it asked of that service.
    var program: ProgramHistory?
    /// Whether a host connected to its controller.
    package var hasConnected = false
    /// Which of its processes cannot follow virtual time, and why.
    var stranger: String?
    /// Which of its processes, in virtual time, has connected to somebody who is in real time.
    var neighbour: String?
    /// Why the controller closed the first connection of its host.
    package var hostProblem: String?

    /// How long this machine stalled shortly before the client exited: meanwhile, it received nothing.
    package var stall: Duration?

    /// How long it had waited for a CPU when the start timed out.
    package var waited = Duration.zero

    package init() {}

    /// Whether the machine's load kept it from starting: most of the time it had no CPU.
    package var isStarved: Bool { !hasPlayed && exit == nil && waited > ProcessSession.patience / 2 }

    /// What is wrong with it, independent of expectations; nil when nothing is.
    package var fault: ClientFault? {
        if let loss { return ClientFault(verdict: .error, reason: loss) }
        guard hasPlayed else {
            if let absence { return ClientFault(verdict: .inconclusive, reason: absence) }
            switch exit?.status {
            case 126?, 127?:
                let why = exit?.status == 126 ? "not executable" : "not found"
                return ClientFault(verdict: .error, reason: "it could not be started: /bin/sh reports \(why)")
            case 0?:
                return ClientFault(
                    verdict: .inconclusive, reason: "it exited with status 0 before \(beginning)")
            case let status?:
                let kernel = usesKernel ? " (it uses sockets of the kernel, not org.bluez)" : ""
                return ClientFault(verdict: .fail, reason: "it \(Self.words(status)) before \(beginning)\(kernel)")
            case nil:
                let time = "within \(ProcessSession.patience.components.seconds) s"
                return ClientFault(verdict: .inconclusive, reason: missingReset(time))
            }
        }
        guard let exit, exit.isFailure else { return nil }
        let reason = "it \(Self.words(exit.status)) at \(exit.at) s, before the end of the case"
        guard let stall else { return ClientFault(verdict: .fail, reason: reason) }
        return ClientFault(verdict: .inconclusive, reason: "this machine stalled for \(stall.inTenths) s: \(reason)")
    }

    /// Whether it is a program for the kernel's Bluetooth, which is missing in a container: the text of EAFNOSUPPORT.
    private var usesKernel: Bool { usesSystem && errors.last?.contains("Address family not supported") == true }

    /// The start of the case's time.
    var beginning: String { usesSystem ? "it used org.bluez" : "its host sent HCI Reset" }

    private func missingReset(_ time: String) -> String {
        if usesSystem {
            return isStarved
                ? "it did not use org.bluez \(time); it waited \(waited) of them for a CPU"
                : "it did not use org.bluez \(time) (the bus is at the address in DBUS_SYSTEM_BUS_ADDRESS)"
        }
        if let hostProblem { return "its host did not send HCI Reset \(time): \(hostProblem)" }
        if isStarved { return "its host did not send HCI Reset \(time); it waited \(waited) of them for a CPU" }
        if hasConnected { return "its host connected to the controller, but did not send HCI Reset \(time)" }
        return "no host connected to the controller \(time) (the controller's address is in LUBDUB_CONTROLLER)"
    }

    /// That it seems to need a message bus, and was given none.
    var missingBus: String? {
        guard !usesSystem, let trouble = errors.busTrouble ?? printed.busTrouble else { return nil }
        return "it found no message bus (\(trouble.abbreviated.quoted)): "
            + "a program of BlueZ needs --system bluez, with which Lubdub plays bluetoothd"
    }

    /// Why nothing came from the client after its end, unless that is a fault by itself.
    package var end: (at: Instant, words: String)? {
        guard isGone, let exit, !exit.isFailure else { return nil }
        let words = "the client exited with status 0 at \(exit.at) s, but a client runs until it receives SIGTERM"
        return (exit.at, words)
    }

    package static func words(_ status: UInt8) -> String {
        let signals: [UInt8: String] = [
            1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
            11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
        ]
        guard status > 128, let name = signals[status - 128] else { return "exited with status \(status)" }
        return "was killed by signal \(status - 128) (\(name))"
    }
}

/// A fault of a client, independent of expectations.
package struct ClientFault: Sendable {
    /// The case's verdict: `fail`, `inconclusive`, or `error` when there was no client to judge.
    package let verdict: Verdict
    package let reason: String
}
