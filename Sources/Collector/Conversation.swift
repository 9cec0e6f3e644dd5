import Bluetooth
import Characteristics
import GATT
import LEHost
import Octets

/// What is asked and answered over one connection: MTU, discovery, the values that can only be read, subscriptions.
struct Conversation: Sendable {
    /// What a procedure that is under way is for.
    fileprivate enum Purpose: Equatable, Sendable {
        case mtu
        case discovery
        case location
        case battery
        case information(DeviceInformation)
        case heartRateSubscription
        case batterySubscription
    }

    /// What the end of a procedure means for the connection.
    enum Progress: Equatable, Sendable {
        case goesOn
        /// The heart rate is notified from now on.
        case subscribed
        /// There is no use in it: why.
        case failed(String)
    }

    typealias Output = HeartRateCollector.Output
    typealias Content = HeartRateCollector.Content

    let id: ConnectionID
    let peer: HeartRateCollector.Peer
    /// The number of the procedure that was asked for last, over all connections.
    private(set) var lastProcedure: UInt32

    private var underWay: [(number: UInt32, purpose: Purpose)] = []
    private var heartRateHandle: UInt16?
    private var batteryHandle: UInt16?

    /// Before the first procedure.
    init(_ id: ConnectionID, with peer: HeartRateCollector.Peer, after lastProcedure: UInt32) {
        (self.id, self.peer, self.lastProcedure) = (id, peer, lastProcedure)
    }

    // MARK: Asking

    mutating func begin(_ settings: HeartRateCollector.Settings, into outbox: inout [Output]) {
        if settings.exchangesMTU { ask(.exchangeMTU, for: .mtu, into: &outbox) }
        ask(.discoverEverything, for: .discovery, into: &outbox)
    }

    private mutating func ask(_ procedure: Procedure, for purpose: Purpose, into outbox: inout [Output]) {
        lastProcedure &+= 1
        underWay.append((lastProcedure, purpose))
        outbox.append(.command(.procedure(id, procedure, id: lastProcedure)))
    }

    /// Asks for all that the profile makes of these services; fails when there is no heart rate to subscribe to.
    private mutating func ask(
        _ services: [DiscoveredService], _ settings: HeartRateCollector.Settings, into outbox: inout [Output]
    ) -> Progress {
        guard let heartRate = services.first(.heartRate) else {
            return .failed("\(peer) has no Heart Rate service (\(UUID.heartRate))")
        }
        guard let measurement = heartRate.first(.heartRateMeasurement) else {
            return .failed("\(peer) has no Heart Rate Measurement (\(UUID.heartRateMeasurement))")
        }
        guard measurement.properties.contains(.notify), let configuration = measurement.configurationHandle else {
            return .failed("\(peer) cannot notify its Heart Rate Measurement")
        }
        heartRateHandle = measurement.valueHandle
        read(heartRate.first(.bodySensorLocation), for: .location, into: &outbox)
        let level = services.first(.battery)?.first(.batteryLevel)
        read(level, for: .battery, into: &outbox)
        if settings.readsDeviceInformation, let service = services.first(.deviceInformation) {
            for kind in DeviceInformation.allCases {
                read(service.first(kind.uuid), for: .information(kind), into: &outbox)
            }
        }
        ask(.subscribe(handle: configuration, to: .notification), for: .heartRateSubscription, into: &outbox)
        if let level, level.properties.contains(.notify), let configuration = level.configurationHandle {
            batteryHandle = level.valueHandle
            ask(.subscribe(handle: configuration, to: .notification), for: .batterySubscription, into: &outbox)
        }
        return .goesOn
    }

    private mutating func read(
        _ characteristic: DiscoveredCharacteristic?, for purpose: Purpose, into outbox: inout [Output]
    ) {
        guard let characteristic, characteristic.properties.contains(.read) else { return }
        let handle = characteristic.valueHandle
        if case .information = purpose {  // text may be longer than one PDU
            ask(.readLong(handle: handle), for: purpose, into: &outbox)
        } else {
            ask(.read(handle: handle), for: purpose, into: &outbox)
        }
    }

    // MARK: Answers

    /// Takes the end of a procedure.  Only what the heart rate depends on may end the connection: without a larger
    /// MTU, or a value that can only be read, there is still a heart rate.
    mutating func finished(
        _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>,
        _ settings: HeartRateCollector.Settings, into outbox: inout [Output]
    ) -> Progress {
        guard let index = underWay.firstIndex(where: { $0.number == number }) else { return .goesOn }
        let purpose = underWay.remove(at: index).purpose
        switch result {
        case .success(.services(let services)) where purpose == .discovery:
            return ask(services, settings, into: &outbox)
        case .success(.value(let octets)):
            take(octets, as: purpose, into: &outbox)
            return .goesOn
        case .success:
            guard purpose == .heartRateSubscription else { return .goesOn }
            say(.state(.subscribed), into: &outbox)
            return .subscribed
        case .failure(.disconnected): return .goesOn  // the host tells of that next
        case .failure(.refused) where purpose == .mtu: return .goesOn  // a server does not have to know it
        case .failure(let failure):
            let why = "\(purpose.words) failed: \(failure.words)"
            if purpose.isNeeded || failure == .bearerLost { return .failed(why) }
            say(.error(why), into: &outbox)
            return .goesOn
        }
    }

    private func take(_ octets: [UInt8], as purpose: Purpose, into outbox: inout [Output]) {
        do throws(Malformed) {
            switch purpose {
            case .location: say(.location(try BodySensorLocation(octets: octets)), into: &outbox)
            case .battery: say(.battery(try BatteryLevel(octets: octets)), into: &outbox)
            case .information(let kind):
                say(.information(kind, try UTF8Text(octets: octets, kind.rawValue).text), into: &outbox)
            case .mtu, .discovery, .heartRateSubscription, .batterySubscription: break
            }
        } catch {
            complain(purpose.valueName, octets, error, into: &outbox)
        }
    }

    // MARK: Notifications

    /// Takes a value that the peer notified, be the subscription answered or not; the caller releases the packet.
    func notified(_ handle: UInt16, _ packet: Packet, pool: borrowing PacketPool, into outbox: inout [Output]) {
        do throws(Malformed) {
            switch handle {
            case heartRateHandle:
                var measurement = try HeartRateMeasurement(octets: pool.slice(of: packet))
                if measurement.rrIntervals.contains(0) { measurement.rrIntervals.removeAll { $0 == 0 } }
                say(.heartRate(measurement), into: &outbox)
            case batteryHandle:
                say(.battery(try BatteryLevel(octets: pool.octets(of: packet))), into: &outbox)
            default: break
            }
        } catch {
            let name = handle == heartRateHandle ? "Heart Rate Measurement" : "Battery Level"
            complain(name, pool.octets(of: packet), error, into: &outbox)
        }
    }

    private func complain(_ name: String, _ octets: [UInt8], _ error: Malformed, into outbox: inout [Output]) {
        let value = octets.isEmpty ? "without octets" : octets.hex
        say(.error("\(name) \(value) is malformed: \(error)"), into: &outbox)
    }

    private func say(_ content: Content, into outbox: inout [Output]) {
        outbox.append(.said(HeartRateCollector.Saying(content, of: peer)))
    }
}

extension Conversation.Purpose {
    /// Whether there is no heart rate without it.
    fileprivate var isNeeded: Bool { self == .discovery || self == .heartRateSubscription }

    /// What is read.
    fileprivate var valueName: String {
        switch self {
        case .location: "Body Sensor Location"
        case .battery: "Battery Level"
        case .information(let kind): "the \(kind.rawValue) string"
        case .mtu, .discovery, .heartRateSubscription, .batterySubscription: "the response"
        }
    }

    /// What is done.
    fileprivate var words: String {
        switch self {
        case .mtu: "exchanging the MTU"
        case .discovery: "discovering the services"
        case .location, .battery, .information: "reading \(valueName)"
        case .heartRateSubscription: "subscribing to Heart Rate Measurement"
        case .batterySubscription: "subscribing to Battery Level"
        }
    }
}

extension [DiscoveredService] {
    fileprivate func first(_ uuid: UUID) -> DiscoveredService? { first { $0.uuid == uuid } }
}

extension DiscoveredService {
    fileprivate func first(_ uuid: UUID) -> DiscoveredCharacteristic? { characteristics.first { $0.uuid == uuid } }
}

extension Procedure.Failure {
    /// For people.
    fileprivate var words: String {
        switch self {
        case .refused(let error, let handle): "\(error) for handle \(handle)"
        case .malformed(let malformed): "the response is malformed: \(malformed)"
        case .unexpected(let opcode): "the answer is another PDU, opcode \(opcode)"
        case .handleOutOfOrder(let handle): "handle \(handle) is out of order"
        case .tooMuch: "there is more than can be remembered"
        case .valueTooLong(let count): "\(count) octets do not fit into one PDU"
        case .handleCount(let count): "\(count) handles are too few or too many for one PDU"
        case .echoDiffers(let handle): "the server repeated a part for handle \(handle) wrongly"
        case .bearerLost: "no answer within 30 s"
        case .disconnected: "disconnected"
        }
    }
}
