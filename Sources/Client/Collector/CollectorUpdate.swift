public import Bluetooth
public import Characteristics
public import Services
public import Spelling
public import Statistics

extension SensorCollector {
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
        /// Is told what the device measures from now on.
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
        /// One of the statistics over all heart rates is due.
        case statistic(Statistic)
        /// How many samples of an ECG came since this was last said; at most once a second.
        case ecg(SampleTally)
        /// The samples themselves, in microvolts, so many of them a second: only for who draws them, and no line.
        case ecgFrame(ECGFrame, rate: Int)
        /// How many heart rates of a fast feed came since this was last said, and the last of them; at most once a second.
        case measurementTally(SampleTally, bpm: UInt16)
        /// These heart rates themselves: only for who draws them, and no line.
        case measurements([UInt16])
        /// Any other value: read, notified or indicated, or no longer true.
        case value(ReceivedValue)
        /// A device was heard for the first time, or its name was: what it advertises, and how strong in dBm.
        indirect case found(services: [UUID], rssi: Int8?)
        /// Something is not as it should be.
        case error(String)
    }
}

// MARK: For programs

extension SensorCollector.Saying: JSONWritable {
    /// Adds a client's line, without its end: `{"battery": 87, "peer": "C0:FF:EE:00:00:01/random"}`; nothing for what is
    /// only to be drawn.
    public func write(to text: inout JSONText) {
        guard let key = content.key else { return }
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

    private func writeContent(to text: inout JSONText) {
        switch content {
        case .state(let state): text.append(quoted: state.name)
        case .heartRate(let measurement): measurement.write(to: &text)
        case .cleared: text.append("null")
        case .statistic(let statistic):
            text.append(text: "{\"name\": \"\(statistic.name.rawValue)\", \"value\": ")
            text.append(thousandths: statistic.thousandths)
            text.append("}")
        case .ecg(let tally): tally.write(to: &text)
        case .measurementTally(let tally, let bpm):
            text.append("{")
            tally.writeMembers(to: &text)
            text.append(text: ", \"bpm\": \(bpm)}")
        case .ecgFrame, .measurements: break
        case .value(let value): value.write(to: &text)
        case .found(let services, let rssi): write(services, rssi, to: &text)
        case .error(let words): text.append(quoted: words)
        }
    }

    private func write(_ services: [UUID], _ rssi: Int8?, to text: inout JSONText) {
        let name = peer?.name.map(\.quoted) ?? "null"
        let list = services.map { "\"\($0)\"" }.joined(separator: ", ")
        let strength = rssi.map { "\($0)" } ?? "null"
        text.append(text: "{\"name\": \(name), \"services\": [\(list)], \"rssi\": \(strength)}")
    }
}

extension SensorCollector.Content {
    /// What a client's line begins with; nil for what is only to be drawn.
    fileprivate var key: String? {
        switch self {
        case .state: "state"
        case .heartRate, .cleared: "heart_rate"
        case .statistic: "statistic"
        case .ecg: "ecg"
        case .measurementTally: "measurements"
        case .ecgFrame, .measurements: nil
        case .value(let value): value.use.key
        case .found: "found"
        case .error: "error"
        }
    }
}
