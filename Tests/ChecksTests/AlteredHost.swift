import ATT
import Basics
import GATT
import L2CAP
import LEHost
import ScenarioModel

@testable import Checks
@testable import VirtualWorld

/// A host that lets the examiner treat a simulated peripheral like a real one.
protocol HostOfRealPeripheral: AnyObject, ExaminerHost {
    var host: VirtualTimeHost { get set }
}

extension HostOfRealPeripheral {
    var pool: PacketPool {
        get { host.pool }
        _modify { yield &host.pool }
    }
    var now: Instant { host.now }
    var simulated: (scenario: Scenario, device: Int)? { nil }
    var isOver: Bool { false }

    func start() { host.start() }
    func stall(since begin: Instant) -> Duration { .zero }
    func act(_ action: Action, for duration: Duration?) -> Bool { false }
}

extension VirtualTimeHost {
    init(_ peripheral: Peripheral) throws {
        var world = try World(peripheral.scenario(), seed: 1)
        world.mutation = peripheral.mutation
        self = try VirtualTimeHost(world, device: 0)
    }
}

/// A host of a real peripheral that differs from the simulated one, and the writes of the examiner.
final class AlteredHost: HostOfRealPeripheral {
    var host: VirtualTimeHost
    /// Replaces an output; nil: there is none.
    private let alter: (Host.Output) -> Host.Output?
    private let peripheralExchangesMTU: Bool
    /// The number of the peripheral's latest connection in which it has exchanged the MTU.
    private var exchanged: UInt32 = 0
    /// The writes that the examiner has requested or prepared.
    private(set) var written: [Written] = []

    struct Written: Equatable {
        let handle: UInt16
        let octets: [UInt8]
    }

    init(
        _ peripheral: Peripheral, exchangesMTU: Bool = false,
        alter: @escaping (Host.Output) -> Host.Output? = { $0 }
    ) throws {
        host = try VirtualTimeHost(peripheral)
        (self.alter, peripheralExchangesMTU) = (alter, exchangesMTU)
    }

    func perform(_ command: Host.Command) {
        switch command {
        case .procedure(_, .write(let handle, let octets), _): written.append(Written(handle: handle, octets: octets))
        default: break
        }
        host.perform(command)
    }

    func inject(_ fault: Host.Fault) {
        if case .sendRaw(.attribute, let octets) = fault {
            switch try? PDU(octets[...]) {
            case .writeRequest(let handle, let value), .prepareWriteRequest(let handle, _, let value):
                written.append(Written(handle: handle, octets: value))
            default: break
            }
        }
        host.inject(fault)
    }

    func play(until limit: Instant) -> Bool {
        if peripheralExchangesMTU, let id = host.world.nodes[0].connections.first?.id, id.number > exchanged {
            exchanged = id.number
            host.world.command(.procedure(id, .exchangeMTU, id: 1), of: 0)
        }
        return host.play(until: limit)
    }

    func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        host.drain { output, pool in
            if let altered = alter(output) { handle(altered, &pool) }
        }
    }
}
