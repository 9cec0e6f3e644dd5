import Bluetooth
import HCI
import L2CAP
import Octets
import Simulation

// How large and how often the packets of a connection are, as far as a host has a say in it.
extension Host {
    /// From the beginning of a connection until its peripheral may ask for another rhythm: TGAP(conn_pause_peripheral).
    /// Core 6.0, Vol 3, Part C, section 9.3.12 and appendix A.
    static let rhythmPause = Duration.seconds(5)

    /// What is asked for as soon as there is a connection.
    mutating func settle(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        if features.contains(.dataPacketLengthExtension) {
            commands.add(.leSetDataLength(handle: connections[index].handle, .longest))
        }
        guard preferred != nil, connections[index].role == .peripheral else { return }
        let due = now.advanced(by: Self.rhythmPause)
        connections[index].rhythmDue = due
        outbox.append(.wake(at: due))
    }

    /// Asks for the preferred parameters where it is time, once: by the link layer where the controller can, else by
    /// L2CAP.  Core 6.0, Vol 3, Part A, section 4.20.
    mutating func askForRhythm(_ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        guard let preferred, connections[index].rhythmDue <= now else { return }
        connections[index].rhythmDue = .never
        guard !preferred.admits(connections[index].timing) else { return }
        if features.contains(.connectionParametersRequest) {
            connections[index].asksController = true
            let update = ConnectionUpdate(handle: connections[index].handle, parameters: preferred)
            commands.add(.leConnectionUpdate(update))
        } else {
            askCentral(index, for: preferred, pool: &pool, into: &outbox)
        }
    }

    /// Whether a command of `askForRhythm` is under way.
    func asksController(_ handle: UInt16) -> Bool { index(of: handle).map { connections[$0].asksController } ?? false }

    /// The controller, or the link layer at the other end, does not do what was asked of it: L2CAP is left.
    mutating func rhythmRefused(_ handle: UInt16, pool: inout PacketPool, into outbox: inout [Output]) {
        guard let preferred, let index = index(of: handle), connections[index].asksController else { return }
        connections[index].asksController = false
        askCentral(index, for: preferred, pool: &pool, into: &outbox)
    }

    /// Whatever the central answers, the connection goes on: what it does comes as LE Connection Update Complete.
    private mutating func askCentral(
        _ index: Int, for parameters: ConnectionParameters, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let request = Signal(1, .connectionParameterUpdateRequest(parameters))
        send(pool.take(request.octets), on: .signalling, index, pool: &pool, into: &outbox)
    }

    /// The two sides meet in another rhythm from now on.
    mutating func rhythmChanged(_ handle: UInt16, _ timing: ConnectionTiming, into outbox: inout [Output]) {
        guard let index = index(of: handle) else { return }
        (connections[index].timing, connections[index].asksController) = (timing, false)
        outbox.append(.timing(connections[index].id, timing))
    }
}

extension DataLength {
    /// What a packet at 1 Mbit/s holds.
    static let longest = DataLength(octetCount: 251, microseconds: 2120)
}

extension ConnectionParameters {
    /// Whether a connection is as these want it.
    fileprivate func admits(_ timing: ConnectionTiming) -> Bool {
        minimumInterval <= timing.interval && timing.interval <= maximumInterval && timing.latency == latency
            && timing.supervisionTimeout == supervisionTimeout
    }
}
