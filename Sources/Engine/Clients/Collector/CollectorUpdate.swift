package import Basics
package import Bluetooth
package import Characteristics
import Devices
package import Services
import VirtualWorld

extension SensorCollector {
    /// An update for the user of the client.
    package struct Update: Hashable, Sendable {
        package let content: Content
        /// The device that the update is about; nil if there is none.
        package let peer: Peer?

        /// An update about a device, or about none.
        package init(_ content: Content, of peer: Peer? = nil) { (self.content, self.peer) = (content, peer) }
    }

    /// A device, identified by its address.
    package struct Peer: Hashable, Sendable {
        package let address: DeviceAddress
        /// The name that it advertises; nil until it was received.
        package let name: String?

        package init(_ address: DeviceAddress, name: String? = nil) { (self.address, self.name) = (address, name) }
    }

    /// The state of a client.
    package enum State: Hashable, Sendable {
        case scanning
        /// Has chosen a device, and is connecting to it.
        case connecting
        /// Is connected, and discovers the device's services.
        case connected
        /// Has subscribed to the device's measurements.
        case subscribed
        /// The connection has ended, with this reason.
        case disconnected(reason: HCIStatus)

        /// Its name in a client's lines.
        package var name: String {
            switch self {
            case .scanning: "scanning"
            case .connecting: "connecting"
            case .connected: "connected"
            case .subscribed: "subscribed"
            case .disconnected: "disconnected"
            }
        }
    }

    package enum Content: Hashable, Sendable {
        case state(State)
        /// A measurement was received; RR-Intervals of 0 are left out, since they are not plausible.
        case heartRate(HeartRateMeasurement)
        /// The displayed measurement is out of date.
        case cleared
        /// One of the statistics over all heart rates is due.
        case statistic(Statistic)
        /// The number of ECG samples since the last tally; at most once a second.
        case ecg(SampleTally)
        /// The ECG samples, in microvolts, and how many there are per second: only for drawing, without a line of text.
        case ecgFrame(ECGFrame, rate: Int)
        /// The number of heart rates of a fast stream since the last tally, and the last heart rate; at most once a
        /// second.
        case measurementTally(SampleTally, bpm: UInt16)
        /// The heart rates themselves: only for drawing, without a line of text.
        case measurements([UInt16])
        /// Any other value: read, notified or indicated, or out of date.
        case value(ReceivedValue)
        /// A value of a device that has nothing that the client knows: read, notified or indicated.
        indirect case surveyed(SurveyedValue)
        /// A device was found, or its name was: the services it advertises, and its signal strength in dBm.
        indirect case found(services: [UUID], rssi: Int8?)
        /// A device that is only heard broadcasts other values than before.
        case advertised(AdvertisedMeasurement)
        case error(String)
        /// Pairing with a device.
        case pairing(PairingUpdate)
    }
}

// MARK: For programs

extension SensorCollector.Update: ClientReport {
    /// Writes a client's line without a newline: `{"battery": 87, "peer": "C0:FF:EE:00:00:01/random"}`; writes nothing
    /// for updates that are only for drawing.
    package func write(to text: inout JSONText) {
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
        case .surveyed(let value): value.write(to: &text)
        case .found(let services, let rssi): write(services, rssi, to: &text)
        case .advertised(let measurement): measurement.write(to: &text)
        case .error(let words): text.append(quoted: words)
        case .pairing(let update): update.write(to: &text)
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
    /// The first key of a client's line; nil for updates that are only for drawing.
    fileprivate var key: String? {
        switch self {
        case .state: "state"
        case .heartRate, .cleared: "heart_rate"
        case .statistic: "statistic"
        case .ecg: "ecg"
        case .measurementTally: "measurements"
        case .ecgFrame, .measurements: nil
        case .value(let value): value.use.key
        case .surveyed: "characteristic"
        case .found: "found"
        case .advertised: "advertised"
        case .error: "error"
        case .pairing(let update): update.key
        }
    }
}
