import Basics
import Bluetooth
public import HCI
import L2CAP

extension Host {
    /// The end of a change of the connection parameters, as the peripheral of a connection learns it.
    public struct ParameterDecision: Hashable, Sendable {
        /// The side that requested the parameters.
        public enum Asker: Hashable, Sendable { case central, peripheral }

        /// A central asks itself, and so has always accepted.
        public let asker: Asker
        /// Whether the connection has these parameters now; false: the central has rejected them, or has not changed them
        /// within 30 s.
        public let isAccepted: Bool
        /// The parameters of the connection or, if they were not accepted, those that the peripheral asked for, with the
        /// longest interval.
        public let timing: ConnectionTiming

        /// A decision about these parameters.
        public init(askedBy asker: Asker, isAccepted: Bool, _ timing: ConnectionTiming) {
            (self.asker, self.isAccepted, self.timing) = (asker, isAccepted, timing)
        }
    }

    /// The connection parameters that a peripheral prefers, and its request for them.
    struct ParameterRequest: Sendable {
        private(set) var preferred: ConnectionParameters?
        /// When the peripheral requests them.
        fileprivate(set) var due = Instant.never
        /// Whether it has requested them from its controller.
        fileprivate(set) var isAtController = false
        /// When the central has not reacted in time; `.never` without a request.
        fileprivate(set) var deadline = Instant.never

        mutating func prefer(_ parameters: ConnectionParameters, due: Instant) {
            (preferred, self.due) = (parameters, due)
        }

        fileprivate var isPending: Bool { deadline < .never }
    }
}

// The data length and the connection parameters that a host requests.
extension Host {
    /// TGAP(conn_pause_peripheral): the time from the start of a connection until its peripheral may request other
    /// parameters.  Core 6.0, Vol 3, Part C, section 9.3.12 and appendix A.
    static let connPausePeripheral = Duration.seconds(5)
    /// TGAP(conn_param_timeout): how long a peripheral waits for the parameters that it has requested.
    static let parameterTimeout = Duration.seconds(30)
    /// A connection sends only one request, and so needs only one identifier.
    private static let requestIdentifier: UInt8 = 1

    /// Requests the data length, and schedules the request for the preferred connection parameters.
    mutating func negotiate(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        if features.contains(.dataPacketLengthExtension) {
            commands.add(.leSetDataLength(connections[index].handle, .maximum))
        }
        guard let preferred, connections[index].role == .peripheral else { return }
        let due = now.advanced(by: Self.connPausePeripheral)
        connections[index].parameters.prefer(preferred, due: due)
        outbox.append(.wake(at: due))
    }

    /// Requests the preferred parameters when they are due, once: from the Link Layer if the controller supports that,
    /// else through L2CAP.  Core 6.0, Vol 3, Part A, section 4.20.
    mutating func requestUpdateIfDue(
        _ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        if connections[index].parameters.deadline <= now { requestFailed(index, into: &outbox) }
        guard let preferred = connections[index].parameters.preferred, connections[index].parameters.due <= now else {
            return
        }
        connections[index].parameters.due = .never
        guard !preferred.admits(connections[index].timing) else { return }
        let deadline = now.advanced(by: Self.parameterTimeout)
        connections[index].parameters.deadline = deadline
        outbox.append(.wake(at: deadline))
        if features.contains(.connectionParametersRequest) {
            connections[index].parameters.isAtController = true
            let update = ConnectionUpdate(handle: connections[index].handle, parameters: preferred)
            commands.add(.leConnectionUpdate(update))
        } else {
            sendUpdateRequest(index, for: preferred, pool: &pool, into: &outbox)
        }
    }

    /// Whether the controller carries out a request of `requestUpdateIfDue`.
    func isUpdating(_ handle: UInt16) -> Bool {
        index(of: handle).map { connections[$0].parameters.isAtController } ?? false
    }

    /// The controller or the peer's Link Layer rejected the request: L2CAP remains.
    mutating func updateFailed(_ handle: UInt16, pool: inout PacketPool, into outbox: inout [Output]) {
        guard let index = index(of: handle), connections[index].parameters.isAtController,
            let preferred = connections[index].parameters.preferred
        else { return }
        connections[index].parameters.isAtController = false
        sendUpdateRequest(index, for: preferred, pool: &pool, into: &outbox)
    }

    private mutating func sendUpdateRequest(
        _ index: Int, for parameters: ConnectionParameters, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let request = Signal(Self.requestIdentifier, .connectionParameterUpdateRequest(parameters))
        send(pool.take(request.octets), on: .signalling, index, pool: &pool, into: &outbox)
    }

    /// Takes what the central answers through L2CAP.  After a consent, LE Connection Update Complete follows.
    mutating func receiveParameterAnswer(_ octets: [UInt8], _ index: Int, into outbox: inout [Output]) {
        guard connections[index].parameters.isPending, let signal = try? Signal(octets: octets),
            signal.identifier == Self.requestIdentifier
        else { return }
        switch signal.content {
        case .connectionParameterUpdateResponse(isAccepted: false), .commandReject: requestFailed(index, into: &outbox)
        default: break
        }
    }

    private mutating func requestFailed(_ index: Int, into outbox: inout [Output]) {
        connections[index].parameters.deadline = .never
        guard let preferred = connections[index].parameters.preferred else { return }
        let wanted = ConnectionTiming(
            interval: preferred.maximumInterval, latency: preferred.latency,
            supervisionTimeout: preferred.supervisionTimeout)
        let decision = ParameterDecision(askedBy: .peripheral, isAccepted: false, wanted)
        outbox.append(.parameters(connections[index].id, decision))
    }

    /// Takes the new parameters of a connection.
    mutating func updated(_ handle: UInt16, _ timing: ConnectionTiming, into outbox: inout [Output]) {
        guard let index = index(of: handle) else { return }
        let request = connections[index].parameters
        let isAnswer = request.isPending && (request.isAtController || request.preferred?.admits(timing) == true)
        connections[index].timing = timing
        connections[index].parameters.isAtController = false
        if isAnswer { connections[index].parameters.deadline = .never }
        outbox.append(.timing(connections[index].id, timing))
        guard connections[index].role == .peripheral else { return }
        let decision = ParameterDecision(askedBy: isAnswer ? .peripheral : .central, isAccepted: true, timing)
        outbox.append(.parameters(connections[index].id, decision))
    }
}

extension ConnectionParameters {
    /// Whether a connection has parameters in the range of these.
    fileprivate func admits(_ timing: ConnectionTiming) -> Bool {
        minimumInterval <= timing.interval && timing.interval <= maximumInterval && timing.latency == latency
            && timing.supervisionTimeout == supervisionTimeout
    }
}
