import Basics
import HCI

/// Sends a controller one command at a time, and no more than it allows.  Core 6.0, Vol 4, Part E, section 4.4.
struct CommandQueue: Sendable {
    /// The time in which a controller must answer a command.  The specification states none; Reset takes longest.
    static let answerTimeout = Duration.seconds(10)
    /// The maximum number of commands that wait.
    static let maximumCount = 256

    /// The command that has been sent and not answered.
    private(set) var pending: Command?
    private var deadline = Instant.never
    private var waiting: [Command] = []
    private var allowed: UInt8 = 1

    /// Whether commands wait to be sent.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether more commands wait than a controller that answers could leave.
    var isOverfull: Bool { waiting.count > Self.maximumCount }

    /// The value that the last command gives for which `value` is not nil; nil when no pending or waiting one does.
    func last<Value>(_ value: (Command) -> Value?) -> Value? {
        for command in waiting.reversed() {
            if let value = value(command) { return value }
        }
        return pending.flatMap(value)
    }

    /// Adds a command.  One that a peer can cause repeatedly replaces the same command waiting for the same connection,
    /// so that there is at most one for each connection.
    mutating func add(_ command: Command) {
        guard let handle = command.handleOfRepeatable,
            let index = waiting.firstIndex(where: {
                $0.opcode == command.opcode && $0.handleOfRepeatable == handle
            })
        else { return waiting.append(command) }
        waiting[index] = command
    }

    /// The command to send now, and the deadline for its answer; nil when none may be sent.
    mutating func next(at now: Instant) -> (command: Command, deadline: Instant)? {
        guard !waiting.isEmpty, allowed > 0, pending == nil else { return nil }
        let command = waiting.removeFirst()
        deadline = now.advanced(by: Self.answerTimeout)
        pending = command
        return (command, deadline)
    }

    /// The deadline for a controller that accepts no commands while some wait; nil when that is not so, and when this
    /// deadline has been returned before.
    mutating func stallDeadline(at now: Instant) -> Instant? {
        guard !waiting.isEmpty, allowed == 0, deadline == .never, pending == nil else { return nil }
        deadline = now.advanced(by: Self.answerTimeout)
        return deadline
    }

    /// The controller accepts this number of commands now.
    mutating func allow(_ allowed: UInt8) {
        self.allowed = allowed
        if pending == nil, allowed > 0 { deadline = .never }
    }

    /// Sends an unanswered Reset again: a controller that announces that it accepts commands before it has answered
    /// Reset was powered off when the Reset was sent.
    mutating func repeatReset() {
        guard let pending, Command.reset ~= pending else { return }
        (self.pending, deadline) = (nil, .never)
        waiting.insert(pending, at: 0)
    }

    /// The command that the controller answers; nil when that command is not pending.
    mutating func complete(_ opcode: Opcode, allowed: UInt8) -> Command? {
        allow(allowed)
        guard let command = pending, command.opcode == opcode else { return nil }
        pending = nil
        deadline = .never
        return command
    }

    /// Whether the controller has missed the deadline to answer a command, or to accept one.
    func isOverdue(at now: Instant) -> Bool { deadline <= now }
}

extension Command {
    /// The connection of a command that a peer can cause repeatedly; nil for any other command.
    fileprivate var handleOfRepeatable: UInt16? {
        switch self {
        case Command.leConnectionUpdate: try? Command.leConnectionUpdate.parameters(of: self).handle
        case Command.leRemoteConnectionParameterRequestReply:
            try? Command.leRemoteConnectionParameterRequestReply.parameters(of: self).handle
        case Command.leRemoteConnectionParameterRequestNegativeReply:
            try? Command.leRemoteConnectionParameterRequestNegativeReply.parameters(of: self).0
        case Command.leSetDataLength: try? Command.leSetDataLength.parameters(of: self).0
        case Command.leLongTermKeyRequestReply: try? Command.leLongTermKeyRequestReply.parameters(of: self).0
        case Command.leLongTermKeyRequestNegativeReply:
            try? Command.leLongTermKeyRequestNegativeReply.parameters(of: self)
        default: nil
        }
    }
}
