import Basics

/// A program at a bus: its connection, and what the bus keeps for it.
final class BusProgram {
    /// A call of the program that has no reply yet.
    struct AwaitedReply: Hashable {
        let serial: UInt32
        /// The number of the program that it has called.
        let callee: Int
    }

    /// The limits of one program; those of dbus-daemon's system bus where it has such.
    enum Limit {
        /// How long a program may take until it has authenticated and said Hello.
        static let greeting = Duration.seconds(30)
        static let rules = 512
        static let names = 512
        static let awaitedReplies = 1024
        /// File descriptors that all programs together have not read yet.
        static let waitingDescriptors = 128
    }

    /// Counted from 0; never used again.
    let number: Int
    let handle: BusHandle
    let name: BusName
    var hasSaidHello = false
    var hasLeft = false
    /// Whether it receives everything, and sends nothing.
    var isMonitor = false
    /// Whether others find it by its unique name.
    var hasName: Bool { hasSaidHello && !isMonitor }
    var rules: [ReceivedRule] = []
    var awaited: Set<AwaitedReply> = []
    var reading: EventLoop.Watch?
    var writing: EventLoop.Watch?

    init(_ number: Int, _ accepted: BusHandle.Accepted) {
        self.number = number
        handle = BusHandle(accepted)
        name = BusName(unique: number)
    }
}

extension BusName {
    /// The unique name of a program.
    init(unique number: Int) {
        guard let name = try? BusName(":1.\(number)") else { preconditionFailure("a number makes a valid name") }
        self = name
    }
}
