import Basics
import Bluetooth
import CommandSupport
import Drivers
import LEHost
import ScenarioRuns
import Screens
import SecurityManager

/// The bonds of a central that examines a real peripheral, and its user at the terminal.
struct ExaminerSecurity {
    private var given: UInt32?
    /// How the command line names the peripheral.
    private var peer = ""
    private(set) var file: BondFile?
    /// The bonds without a file: they save the user from entering a passkey in each connection.
    private var bonds: [Bond] = []
    /// Whether a question has remained unanswered; then nobody is there.
    private var isAlone = false

    /// Less than the Security Manager Timer, so that the answer arrives in time.  Core 6.0, Vol 3, Part H, section 3.4.
    private static let patience = Duration.seconds(28)

    /// Without a passkey and a file.
    init() {}

    /// Reads `--passkey`, `--bonds` and `--peer`.
    init(_ invocation: Invocation) throws(Obstacle) {
        peer = invocation.text("--peer") ?? ""
        (given, file) = (try ClientSecurity.passkey(invocation), try ClientSecurity.bonds(invocation))
    }

    /// The address under which the bonds in the file were made.
    var address: DeviceAddress? { file?.address }

    func bond(with peer: DeviceAddress) -> Bond? {
        let kept = file.flatMap { file in file.address.map { file.bonds(of: $0) } } ?? bonds
        return HostSecurity(nil, bonds: kept).bond(with: peer)
    }

    /// Without a file, only a bond for which the user has entered a passkey is worth keeping.
    func keepsBond(isAuthenticated: Bool) -> Bool { file != nil || isAuthenticated && given == nil }

    /// Keeps a bond of the central with this address.
    mutating func keep(_ bond: Bond, under address: DeviceAddress) {
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        guard let file else { return }
        let others = file.bonds(of: address).filter { $0.peer != bond.peer }
        file.save(others + [bond], of: address)
    }

    /// The passkey that a peripheral displays: the one of `--passkey`, or the user's answer; nil if there is none before
    /// `hasEnded`.
    mutating func passkey(in time: RealTime, until hasEnded: () -> Bool) -> UInt32? {
        if let given { return given }
        guard !isAlone, let prompt = PasskeyPrompt(on: time.loop) else { return nil }
        let tick = time.tick
        time.tick = nil
        defer { time.tick = tick }
        let answers = Inbox<UInt32?>()
        prompt.assumeIsolated { $0.ask(about: peer) { answers.add($0) } }
        var answer: UInt32??
        let isInTime = time.play(until: time.now.advanced(by: Self.patience)) {
            answer = answer ?? answers.take().first
            return answer != nil || hasEnded()
        }
        prompt.assumeIsolated { $0.cancel() }
        if !isInTime || answer == .some(nil) { isAlone = true }
        return answer ?? nil
    }
}
