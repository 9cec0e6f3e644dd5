package import Basics
package import Bluetooth
package import Drivers
import LEHost
package import SecurityManager

/// Asks the user for the passkey that a peripheral displays: on a loop, with what the user calls the peripheral. Returns what
/// withdraws the question; nil if nobody can be asked.
package typealias PasskeyInquiry = (
    _ loop: EventLoop, _ peer: String, _ answer: @escaping @Sendable (UInt32?) -> Void
) -> (() -> Void)?

/// The bonds of a central that examines a real peripheral, and its user.
package struct ExaminerSecurity {
    private let given: UInt32?
    /// How the user names the peripheral.
    private let peer: String
    package let file: BondFile?
    private let inquire: PasskeyInquiry
    /// The bonds without a file: they save the user from entering a passkey in each connection.
    private var bonds: [Bond] = []
    /// Whether a question has remained unanswered; then nobody is there.
    private var isAlone = false

    /// Less than the Security Manager Timer, so that the answer arrives in time.  Core 6.0, Vol 3, Part H, section 3.4.
    private static let patience = Duration.seconds(28)

    /// With the passkey that the peripheral displays, or that is printed on it, if the user knows it, and the file of bonds, if there is one.
    package init(
        passkey: UInt32? = nil, bonds file: BondFile? = nil, of peer: String = "",
        asking inquire: @escaping PasskeyInquiry
    ) {
        (given, self.file, self.peer, self.inquire) = (passkey, file, peer, inquire)
    }

    /// The address under which the bonds in the file were made.
    package var address: DeviceAddress? { file?.address }

    package func bond(with peer: DeviceAddress) -> Bond? {
        let kept = file.flatMap { file in file.address.map { file.bonds(of: $0) } } ?? bonds
        return HostSecurity(nil, bonds: kept).bond(with: peer)
    }

    /// Without a file, only a bond for which the user has entered a passkey is worth keeping.
    package func keepsBond(isAuthenticated: Bool) -> Bool { file != nil || isAuthenticated && given == nil }

    /// Keeps a bond of the central with this address.
    package mutating func keep(_ bond: Bond, under address: DeviceAddress) {
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        guard let file else { return }
        let others = file.bonds(of: address).filter { $0.peer != bond.peer }
        file.save(others + [bond], of: address)
    }

    /// The passkey that a peripheral displays: the one that the user knows, or the user's answer; nil if there is none before
    /// `hasEnded`.
    package mutating func passkey(in time: RealTime, until hasEnded: () -> Bool) -> UInt32? {
        if let given { return given }
        guard !isAlone else { return nil }
        let answers = Inbox<UInt32?>()
        guard let withdraw = inquire(time.loop, peer, { answers.add($0) }) else { return nil }
        let tick = time.tick
        time.tick = nil
        defer { time.tick = tick }
        var answer: UInt32??
        let isInTime = time.play(until: time.now.advanced(by: Self.patience)) {
            answer = answer ?? answers.take().first
            return answer != nil || hasEnded()
        }
        withdraw()
        if !isInTime || answer == .some(nil) { isAlone = true }
        return answer ?? nil
    }
}
