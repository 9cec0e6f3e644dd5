package import Basics

/// A call of a program to the played bluetoothd, or the reply to one.
package struct BusRecord: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case called
        case replied
        /// An error, with its name and its text.
        case refused(String, String)
    }

    package var instant: Instant
    package let kind: Kind
    /// The unique name of the program at the bus, and the number of its call.
    package let sender: String
    package let serial: UInt32
    package let path: String
    /// Empty: the call names none.
    package let interface: String
    package let member: String

    package init(
        _ kind: Kind, at instant: Instant, sender: String, serial: UInt32, path: String, interface: String,
        member: String
    ) {
        (self.kind, self.instant, self.sender, self.serial) = (kind, instant, sender, serial)
        (self.interface, self.member) = (interface, member)
        self.path = path.utf8.count > Self.maximumPath ? String(path.prefix(Self.maximumPath)) : path
    }

    /// No path of bluetoothd is longer.
    private static let maximumPath = 256
}

extension BusRecord: JSONWritable {
    package func write(to text: inout JSONText) {
        text.begin(kind == .called ? "called" : "replied", at: instant)
        text.append(member: "sender", quoted: sender)
        text.append(member: "serial")
        text.append(Int64(serial))
        text.append(member: "path", quoted: path)
        if !interface.isEmpty { text.append(member: "interface", quoted: interface) }
        text.append(member: "member", quoted: member)
        if case .refused(let error, let reason) = kind {
            text.append(member: "error", quoted: error)
            text.append(member: "reason", quoted: reason)
        }
        text.append("}")
    }
}
