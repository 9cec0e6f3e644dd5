import Basics
import Bluetooth
import Cases
import Checks
import CommandSupport
import Drivers

/// The host that examines a peripheral, and what was started for the peripheral.
struct ReachedPeripheral {
    let host: RealTimeHost
    /// The variables by which a program finds its controller, or the bus.
    var variables: [(name: String, value: String)] = []
    /// The Bluetooth service that is played for the program, and the address of its adapter.
    var system: (running: PlayedSystem.Running, adapter: DeviceAddress)?
    private(set) var program: PeripheralProgram?

    /// How long a program may take to end, and a played service to leave its bus.
    private static let patience = Duration.seconds(10)

    init(_ host: RealTimeHost) { self.host = host }

    /// Starts the program of `--peripheral`.
    mutating func start(_ command: String) throws(Obstacle) {
        let program = try PeripheralProgram(command, variables, on: host.time.loop)
        program.assumeIsolated { $0.start() }
        self.program = program
    }

    /// Ends all of it.
    func close() {
        if let program { _ = host.time.run(within: Self.patience, evenIfOver: true) { await program.end() } }
        host.close()
        if let running = system?.running {
            _ = host.time.run(within: Self.patience, evenIfOver: true) { await running.close() }
        }
    }

    /// The last lines that the program has written to its standard error.
    var lastErrors: [String] { program?.assumeIsolated { $0.lastErrors } ?? [] }

    /// Waits until the program advertises, and returns what to examine: the peripheral that `--peer` names, that of the played
    /// service, or the first one.
    func peripheral(named name: String?, within limit: Duration) throws(Obstacle) -> Peer? {
        let wanted = name.map { Peer($0) } ?? system.map { .address($0.adapter) }
        guard let program else { return wanted }
        let end = host.now.advanced(by: limit)
        while !host.isOver, host.now < end {
            if let exit = program.assumeIsolated({ $0.exit }) {
                throw Obstacle(.environment, "the program of --peripheral \(exit)")
            }
            let scan = PeripheralScan(for: wanted, by: host, within: .seconds(1))
            if let wanted, scan.isFound { return wanted }
            if wanted == nil, let first = scan.first { return .address(first) }
        }
        guard !host.isOver else { return wanted ?? .name("") }
        let found = lastErrors.last.map { "; its last line on standard error: \($0)" } ?? ""
        throw Obstacle(
            .environment, "the program of --peripheral did not advertise within \(limit.formatted)\(found)")
    }
}
