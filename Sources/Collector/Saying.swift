public import Bluetooth
public import Characteristics
public import Spelling

extension HeartRateCollector {
    /// Something that a user of a client sees.
    public struct Saying: Hashable, Sendable {
        /// What is seen.
        public let content: Content
        /// Of which device; nil when it is of none.
        public let peer: Peer?

        /// Something seen, of a device or of none.
        public init(_ content: Content, of peer: Peer? = nil) { (self.content, self.peer) = (content, peer) }
    }

    /// A device, as it is known to others.
    public struct Peer: Hashable, Sendable {
        /// Where it is.
        public let address: DeviceAddress
        /// What it says that it is called; nil before it was heard.
        public let name: String?

        /// A device with or without a name.
        public init(_ address: DeviceAddress, name: String? = nil) { (self.address, self.name) = (address, name) }
    }

    /// What a client is doing.
    public enum State: Hashable, Sendable {
        /// Listens for advertisers.
        case scanning
        /// Has chosen a device, and wants to connect to it.
        case connecting
        /// Is connected, and finds out what the device has.
        case connected
        /// Is told the heart rate from now on.
        case subscribed
        /// The connection is over: by whom, and why.
        case disconnected(reason: HCIStatus)

        /// The word that stands for it in a client's lines.
        public var name: String {
            switch self {
            case .scanning: "scanning"
            case .connecting: "connecting"
            case .connected: "connected"
            case .subscribed: "subscribed"
            case .disconnected: "disconnected"
            }
        }
    }

    /// What can be seen.
    public enum Content: Hashable, Sendable {
        /// The client does something else from now on.
        case state(State)
        /// A measurement has come; RR-Intervals of 0 are left out, as no heart has them.
        case heartRate(HeartRateMeasurement)
        /// The measurement that is displayed is not true any more.
        case cleared
        /// How full the battery is: read, or notified.
        case battery(BatteryLevel)
        /// Where the sensor is worn.
        case location(BodySensorLocation)
        /// One of the strings that say what the device is.
        case information(DeviceInformation, String)
        /// A device was heard for the first time, or its name was: what it advertises, and how strong in dBm.
        indirect case found(services: [UUID], rssi: Int8?)
        /// Something is not as it should be.
        case error(String)
    }
}

// MARK: For programs

extension HeartRateCollector.Saying: JSONWritable {
    /// Adds a client's line, without its end: `{"battery": 87, "peer": "C0:FF:EE:00:00:01/random"}`.
    public func write(to text: inout JSONText) {
        text.append("{\"")
        text.append(text: key)
        text.append("\": ")
        writeContent(to: &text)
        if let peer {
            text.append(", \"peer\": ")
            peer.address.write(to: &text)
        }
        text.append("}")
    }

    private var key: String {
        switch content {
        case .state: "state"
        case .heartRate, .cleared: "heart_rate"
        case .battery: "battery"
        case .location: "location"
        case .information: "information"
        case .found: "found"
        case .error: "error"
        }
    }

    private func writeContent(to text: inout JSONText) {
        switch content {
        case .state(let state): text.append(quoted: state.name)
        case .heartRate(let measurement): measurement.write(to: &text)
        case .cleared: text.append("null")
        case .battery(let level): level.write(to: &text)
        case .location(let location): location.write(to: &text)
        case .information(let kind, let words): text.append(text: "{\"\(kind.rawValue)\": \(words.quoted)}")
        case .found(let services, let rssi):
            let name = peer?.name.map(\.quoted) ?? "null"
            let list = services.map { "\"\($0)\"" }.joined(separator: ", ")
            let strength = rssi.map { "\($0)" } ?? "null"
            text.append(text: "{\"name\": \(name), \"services\": [\(list)], \"rssi\": \(strength)}")
        case .error(let words): text.append(quoted: words)
        }
    }
}

// MARK: For people

extension HeartRateCollector.Peer: CustomStringConvertible {
    /// `Lubdub HRM C0:FF:EE:00:00:01/random`; what cannot be printed in a name is escaped.
    public var description: String {
        guard let name else { return "\(address)" }
        return "\(name.quoted.dropFirst().dropLast()) \(address)"
    }
}

extension HeartRateCollector.Saying {
    /// A line without its end: `62 bpm, contact, RR 967.8 ms`.
    public var text: String {
        let device = peer.map(\.description) ?? "the device"
        switch content {
        case .state(.scanning): return "scanning"
        case .state(.connecting): return "connecting to \(device)"
        case .state(.connected): return "connected to \(device)"
        case .state(.subscribed): return "subscribed to the heart rate of \(device)"
        case .state(.disconnected(let reason)): return "disconnected from \(device): \(reason)"
        case .heartRate(let measurement): return measurement.words
        case .cleared: return "no heart rate"
        case .battery(let level): return "battery \(level.percent) %"
        case .location(let location): return "worn at: \(location.name ?? "place \(location.number)")"
        case .information(let kind, let text): return "\(kind.rawValue): \(text.quoted)"
        case .found(let services, let rssi):
            let list = services.isEmpty ? "" : ", \(services.map(\.description).joined(separator: " "))"
            return "found \(device)\(list)\(rssi.map { ", \($0) dBm" } ?? "")"
        case .error(let text): return "error: \(text)"
        }
    }
}

extension HeartRateMeasurement {
    fileprivate var words: String {
        var words = ["\(bpm) bpm"]
        switch contact {
        case .notSupported: break
        case .notDetected: words.append("no contact")
        case .detected: words.append("contact")
        }
        if let energyExpended { words.append("\(energyExpended) kJ") }
        if !rrIntervals.isEmpty {
            let list = rrIntervals.map { ticks in
                let tenths = (Int(ticks) * 10_000 + 512) / 1024
                return "\(tenths / 10).\(tenths % 10)"
            }
            words.append("RR \(list.joined(separator: " ")) ms")
        }
        return words.joined(separator: ", ")
    }
}
