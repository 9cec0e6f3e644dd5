import Characteristics
import Octets
import Peripheral
import Scenarios
import Spelling

/// The values of a scenario's devices, by handle: what they are called, and how they are read.
struct ValueNames: Sendable {
    struct Entry: Sendable {
        let handle: UInt16
        let thing: Thing
        let name: String
        let meaning: ValueMeaning
    }

    private var devices: [[Entry]] = []

    init(_ scenario: Scenario, _ nodes: [Node]) {
        for (number, (device, node)) in zip(scenario.devices, nodes).enumerated() {
            var entries: [Entry] = []
            for (index, service) in device.services.enumerated() {
                for (place, part) in service.parts.enumerated() {
                    guard let played = Peripheral.Part(part, at: place, of: service, at: index),
                        let handle = node.device.handle(of: played),
                        !entries.contains(where: { $0.handle == handle })
                    else { continue }
                    let name = "\(device.id)/\(service.id)" + (part.name.isEmpty ? "" : "/\(part.name)")
                    entries.append(
                        Entry(
                            handle: handle, thing: .part(device: number, service: index, part: place), name: name,
                            meaning: ValueMeaning(played.quantity, of: service)))
                }
            }
            devices.append(entries)
        }
    }

    func entry(_ handle: UInt16, of device: Int) -> Entry? {
        devices.indices.contains(device) ? devices[device].first { $0.handle == handle } : nil
    }

    /// Of the values of a device, or of one of its services.
    func handles(of device: Int, _ service: Int? = nil) -> [UInt16] {
        guard devices.indices.contains(device) else { return [] }
        return devices[device].filter { entry in
            guard let service, case .part(_, let own, _) = entry.thing else { return true }
            return own == service
        }.map(\.handle)
    }

    /// What the octets of a value mean, as JSON; nil when they cannot be read, or nobody knows what they are.
    func json(_ octets: [UInt8], _ handle: UInt16, of device: Int) -> String? {
        var text = JSONText()
        return write(octets[...], handle, of: device, to: &text) ? text.string : nil
    }

    /// Adds what the octets of a value mean; false when they cannot be read, or nobody knows what they are.
    func write(_ octets: ArraySlice<UInt8>, _ handle: UInt16, of device: Int, to text: inout JSONText) -> Bool {
        guard let meaning = entry(handle, of: device)?.meaning else { return false }
        do throws(Malformed) { return try meaning.write(octets, to: &text) } catch { return false }
    }
}

/// How the octets of a value are to be read.
enum ValueMeaning: Hashable, Sendable {
    case standard(Peripheral.Part.Quantity)
    case pmdSamples
    case custom(ValueFormat)

    init(_ quantity: Peripheral.Part.Quantity, of service: Scenarios.Service) {
        switch (quantity, service.content) {
        case (.custom(let index), .custom(let custom)): self = .custom(custom.characteristics[index].format)
        case (.ecgSamples, .ecg(let ecg)) where ecg.form == .pmd: self = .pmdSamples
        default: self = .standard(quantity)
        }
    }

    /// Adds what octets mean, in the client's spelling; false when they mean nothing.
    func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) -> Bool {
        switch self {
        case .standard(.heartRate): try HeartRateMeasurement(octets: octets).write(to: &text)
        case .standard(.heartRates): try HeartRateFrame(octets: octets).write(to: &text)
        case .standard(.ecgSamples): try ECGFrame(octets: octets).write(to: &text)
        case .pmdSamples: try PMDECGFrame(octets: octets).write(to: &text)
        case .standard(let quantity): return try write(Array(octets), quantity, to: &text)
        case .custom(let format): return try write(Array(octets), format, to: &text)
        }
        return true
    }

    /// The microvolts of an ECG's samples and the number of its lead, which the log leaves out; nil for anything else.
    func samples(_ octets: ArraySlice<UInt8>) -> (samples: [Int32], lead: UInt8?)? {
        do throws(Malformed) {
            switch self {
            case .standard(.ecgSamples):
                let frame = try ECGFrame(octets: octets)
                return (frame.samples.map(Int32.init), frame.header.lead)
            case .pmdSamples: return (try PMDECGFrame(octets: octets).samples, nil)
            case .standard, .custom: return nil
            }
        } catch { return nil }
    }

    private func write(
        _ octets: [UInt8], _ quantity: Peripheral.Part.Quantity, to text: inout JSONText
    ) throws(Malformed) -> Bool {
        switch quantity {
        case .location: try BodySensorLocation(octets: octets).write(to: &text)
        case .battery: try BatteryLevel(octets: octets).write(to: &text)
        case .information: text.append(quoted: try UTF8Text(octets: octets, "value").text)
        case .controlPoint:
            guard octets.count == 1, let octet = octets.first else { return false }
            text.append(Int64(octet))
        case .bodyTemperature, .intermediateTemperature: try TemperatureMeasurement(octets: octets).write(to: &text)
        case .temperatureType: try TemperatureType(octets: octets).write(to: &text)
        case .measurementInterval: try MeasurementInterval(octets: octets).write(to: &text)
        case .steps, .stepsToday, .feed: try VendorCount(octets: octets, "value").write(to: &text)
        case .temperature: try Temperature(octets: octets).write(to: &text)
        case .ecgDescription: try ECGDescription(octets: octets).write(to: &text)
        case .heartRate, .heartRates, .ecgSamples, .contact, .energy, .rrIntervals, .lead, .pmdControlPoint, .custom:
            return false
        }
        return true
    }

    private func write(
        _ octets: [UInt8], _ format: ValueFormat, to text: inout JSONText
    ) throws(Malformed) -> Bool {
        var reader = OctetReader(octets)
        let number: Int64
        switch format {
        case .uint8: number = Int64(try reader.uint8("value"))
        case .uint16: number = Int64(try reader.uint16("value"))
        case .uint32: number = Int64(try reader.uint32("value"))
        case .sint16: number = Int64(Int16(bitPattern: try reader.uint16("value")))
        case .utf8:
            text.append(quoted: try UTF8Text(octets: octets, "value").text)
            return true
        case .octets: return false
        }
        try reader.finish()
        text.append(number)
        return true
    }
}
