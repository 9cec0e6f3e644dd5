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
        case error(String)
        /// Pairing with a device.
        case pairing(PairingUpdate)
    }
}

// MARK: For programs

extension SensorCollector.Update: ValueWritable, ClientReport {
    /// Writes a client's line without a newline: `{"battery": 87, "peer": "C0:FF:EE:00:00:01/random"}`; writes nothing
    /// for updates that are only for drawing.
    package func write(into sink: inout some ValueSink) {
        guard let key = content.key else { return }
        sink.appendObject { sink in
            sink.append(member: key) { writeContent(into: &$0) }
            if let peer { sink.append(member: "peer", .description(peer.address)) }
        }
    }

    private func writeContent(into sink: inout some ValueSink) {
        switch content {
        case .state(let state): sink.append(.string(state.name))
        case .heartRate(let measurement): measurement.write(into: &sink)
        case .cleared: sink.append(.null)
        case .statistic(let statistic):
            sink.appendObject { sink in
                sink.append(member: "name", .string(statistic.name.rawValue))
                sink.append(member: "value", .thousandths(statistic.thousandths))
            }
        case .ecg(let tally): tally.write(into: &sink)
        case .measurementTally(let tally, let bpm):
            sink.appendObject { sink in
                tally.writeMembers(into: &sink)
                sink.append(member: "bpm", .number(bpm))
            }
        case .ecgFrame, .measurements: break
        case .value(let value): value.write(into: &sink)
        case .surveyed(let value): value.write(into: &sink)
        case .found(let services, let rssi):
            sink.appendObject { sink in
                sink.append(member: "name", peer?.name.map(ValueToken.string) ?? .null)
                sink.append(member: "services") { $0.append(list: services) { $0.append(.string("\($1)")) } }
                sink.append(member: "rssi", rssi.map(ValueToken.number) ?? .null)
            }
        case .error(let words): sink.append(.string(words))
        case .pairing(let update): update.write(into: &sink)
        }
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
        case .error: "error"
        case .pairing(let update): update.key
        }
    }
}
