import Basics
import Bluetooth
import Characteristics
import Devices
import Services

extension SensorCollector.Peer: CustomStringConvertible {
    /// `Lubdub HRM C0:FF:EE:00:00:01/random`; unprintable characters of the name are escaped.
    package var description: String {
        guard let name else { return "\(address)" }
        return "\(name.quoted.dropFirst().dropLast()) \(address)"
    }
}

extension SensorCollector.Update {
    /// A line without a newline: `62 bpm, contact, RR 967.8 ms`.
    package var text: String {
        let device = peer.map(\.description) ?? "the device"
        switch content {
        case .state(.scanning): return "scanning"
        case .state(.connecting): return "connecting to \(device)"
        case .state(.connected): return "connected to \(device)"
        case .state(.subscribed): return "subscribed to \(device)"
        case .state(.disconnected(let reason)): return "disconnected from \(device): \(reason)"
        case .heartRate(let measurement): return measurement.words
        case .cleared: return "no heart rate"
        case .statistic(let statistic): return statistic.words
        case .ecg(let tally): return "ECG, \(tally.words)"
        case .measurementTally(let tally, let bpm): return "\(bpm) bpm, \(tally.words)"
        case .ecgFrame(let frame, _): return "\(frame.samples.count.counted("sample")) from \(frame.header.index) on"
        case .measurements(let values): return values.count.counted("heart rate")
        case .value(let value): return value.words
        case .surveyed(let value): return value.words
        case .found(let services, let rssi):
            let list = services.isEmpty ? "" : ", \(services.map(\.description).joined(separator: " "))"
            return "found \(device)\(list)\(rssi.map { ", \($0) dBm" } ?? "")"
        case .advertised(let measurement): return "\(measurement.words), advertised by \(device)"
        case .error(let text): return "error: \(text)"
        case .pairing(.failed(let why)): return "error: \(why)"
        case .pairing(let update): return "pairing with \(device): \(update.text)"
        }
    }
}

extension SampleTally {
    fileprivate var words: String {
        "\(samples.counted("sample")), \(lost) lost\(dropped > 0 ? ", \(dropped) dropped" : "")"
    }
}

extension Statistic {
    fileprivate var words: String {
        var text = JSONText()
        text.append(thousandths: thousandths)
        return "\(name.rawValue.split(separator: "_").joined(separator: " ")) \(text.string) bpm"
    }
}
