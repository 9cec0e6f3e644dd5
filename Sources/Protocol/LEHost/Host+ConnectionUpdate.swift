import Bluetooth
import HCI
import L2CAP
import Octets
import Simulation

// The data length and the connection parameters that a host requests.
extension Host {
    /// TGAP(conn_pause_peripheral): the time from the start of a connection until its peripheral may request other
    /// parameters.  Core 6.0, Vol 3, Part C, section 9.3.12 and appendix A.
    static let connPausePeripheral = Duration.seconds(5)

    /// Requests the data length, and schedules the request for the preferred connection parameters.
    mutating func negotiate(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        if features.contains(.dataPacketLengthExtension) {
            commands.add(.leSetDataLength(connections[index].handle, .maximum))
        }
        guard preferred != nil, connections[index].role == .peripheral else { return }
        let due = now.advanced(by: Self.connPausePeripheral)
        connections[index].updateDue = due
        outbox.append(.wake(at: due))
    }

    /// Requests the preferred parameters when they are due, once: from the Link Layer if the controller supports that,
    /// else through L2CAP.  Core 6.0, Vol 3, Part A, section 4.20.
    mutating func requestUpdateIfDue(
        _ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let preferred, connections[index].updateDue <= now else { return }
        connections[index].updateDue = .never
        guard !preferred.admits(connections[index].timing) else { return }
        if features.contains(.connectionParametersRequest) {
            connections[index].isUpdating = true
            let update = ConnectionUpdate(handle: connections[index].handle, parameters: preferred)
            commands.add(.leConnectionUpdate(update))
        } else {
            sendUpdateRequest(index, for: preferred, pool: &pool, into: &outbox)
        }
    }

    /// Whether the controller carries out a request of `requestUpdateIfDue`.
    func isUpdating(_ handle: UInt16) -> Bool { index(of: handle).map { connections[$0].isUpdating } ?? false }

    /// The controller or the peer's Link Layer rejected the request: L2CAP remains.
    mutating func updateFailed(_ handle: UInt16, pool: inout PacketPool, into outbox: inout [Output]) {
        guard let preferred, let index = index(of: handle), connections[index].isUpdating else { return }
        connections[index].isUpdating = false
        sendUpdateRequest(index, for: preferred, pool: &pool, into: &outbox)
    }

    /// The central's response is ignored: if it updates the connection, LE Connection Update Complete follows.
    private mutating func sendUpdateRequest(
        _ index: Int, for parameters: ConnectionParameters, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let request = Signal(1, .connectionParameterUpdateRequest(parameters))
        send(pool.take(request.octets), on: .signalling, index, pool: &pool, into: &outbox)
    }

    mutating func updated(_ handle: UInt16, _ timing: ConnectionTiming, into outbox: inout [Output]) {
        guard let index = index(of: handle) else { return }
        (connections[index].timing, connections[index].isUpdating) = (timing, false)
        outbox.append(.timing(connections[index].id, timing))
    }
}

extension DataLength {
    /// The maximum of a data PDU at 1 Mbit/s.
    static let maximum = DataLength(octetCount: 251, microseconds: 2120)
}

extension ConnectionParameters {
    /// Whether a connection has parameters in the range of these.
    fileprivate func admits(_ timing: ConnectionTiming) -> Bool {
        minimumInterval <= timing.interval && timing.interval <= maximumInterval && timing.latency == latency
            && timing.supervisionTimeout == supervisionTimeout
    }
}
