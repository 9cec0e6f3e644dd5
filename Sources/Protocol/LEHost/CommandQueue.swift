import HCI
import Simulation

/// Gives a controller one command at a time, and no more than it allows.  Core 6.0, Vol 4, Part E, section 4.4.
struct CommandQueue: Sendable {
    /// From sending a command until the controller is given up: nothing in the specification says how long it may
    /// take, and the slowest answer is that to a reset.
    static let answerTimeout = Duration.seconds(10)
    /// How many commands wait at most.
    static let most = 256

    private(set) var underWay: Command?
    private var deadline = Instant.never
    private var waiting: [Command] = []
    private var allowed: UInt8 = 1

    /// Whether commands wait to be sent.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether there are more commands than a controller that answers would ever leave.
    var isOverfull: Bool { waiting.count > Self.most }

    /// What the last of the commands that say anything says; nil when none of those under way and waiting does.
    func last<Value>(_ said: (Command) -> Value?) -> Value? {
        for command in waiting.reversed() {
            if let value = said(command) { return value }
        }
        return underWay.flatMap(said)
    }

    /// Adds a command; what a peer or a controller can ask for again and again takes the place of the same command that
    /// waits for the same connection, so that there are no more of them than connections.
    mutating func add(_ command: Command) {
        guard let handle = command.askedFor,
            let index = waiting.firstIndex(where: { $0.askedFor == handle && $0.opcode == command.opcode })
        else { return waiting.append(command) }
        waiting[index] = command
    }

    /// The command to send now, and until when it has to be answered; nil when none may be sent.
    mutating func next(at now: Instant) -> (command: Command, deadline: Instant)? {
        guard !waiting.isEmpty, allowed > 0, underWay == nil else { return nil }
        let command = waiting.removeFirst()
        deadline = now.advanced(by: Self.answerTimeout)
        underWay = command
        return (command, deadline)
    }

    /// When a controller that takes no commands is given up; nil when it takes some, when none waits, or when this has
    /// been told already.
    mutating func standsStill(at now: Instant) -> Instant? {
        guard !waiting.isEmpty, allowed == 0, deadline == .never, underWay == nil else { return nil }
        deadline = now.advanced(by: Self.answerTimeout)
        return deadline
    }

    /// The controller takes so many commands now.
    mutating func takes(_ allowed: UInt8) {
        self.allowed = allowed
        if underWay == nil, allowed > 0 { deadline = .never }
    }

    /// Sends a Reset that has no answer yet once more: whoever says that it takes commands before it has answered that one had no
    /// power to hear it.
    mutating func repeatReset() {
        guard underWay == .reset else { return }
        (underWay, deadline) = (nil, .never)
        waiting.insert(.reset, at: 0)
    }

    /// The command that the controller answers; nil when it answers nothing that it was asked.
    mutating func answered(_ opcode: Opcode, allowed: UInt8) -> Command? {
        takes(allowed)
        guard let command = underWay, command.opcode == opcode else { return nil }
        underWay = nil
        deadline = .never
        return command
    }

    /// Whether the answer to a command, or leave to send one, has not come in time.
    func isOverdue(at now: Instant) -> Bool { deadline <= now }
}

extension Command {
    /// Of a command that others make the host send, the connection.
    fileprivate var askedFor: UInt16? {
        switch self {
        case .leConnectionUpdate(let update), .leRemoteConnectionParameterRequestReply(let update): update.handle
        case .leRemoteConnectionParameterRequestNegativeReply(let handle, _), .leSetDataLength(let handle, _),
            .leLongTermKeyRequestNegativeReply(let handle):
            handle
        default: nil
        }
    }
}
