import Characteristics
import Octets
import Peripheral
import Scenarios
import Spelling

/// The values of a scenario's devices: what they are called, how they are read, and which handles they have.
struct ValueNames: Sendable {
    struct Entry: Sendable {
        let entity: EntityReference
        let name: String
        let meaning: ValueMeaning
        /// As its device knows it.
        fileprivate let part: Peripheral.Part
    }

    /// The number of every value that has no name.
    static let unnamed = 0xFFFF

    /// Those of a device, also of services that are not there: for its logs, values are numbered by their places.
    private var devices: [[Entry]] = []
    /// The handles of the entries; nil for those that are not there.
    private var handles: [[UInt16?]] = []
    /// The same, before they changed last; empty for a device of which they never have.
    private var handlesBefore: [[UInt16?]] = []

    init(_ scenario: Scenario, _ nodes: [Node]) {
        for (number, (device, node)) in zip(scenario.devices, nodes).enumerated() {
            var entries: [Entry] = []
            for (index, service) in device.services.enumerated() {
                for (place, part) in service.parts.enumerated() {
                    guard let played = Peripheral.Part(part, at: place, of: service, at: index),
                        let carrier = node.device.carrier(of: played), !entries.contains(where: { $0.part == carrier })
                    else { continue }
                    let name = "\(device.id)/\(service.id)" + (part.name.isEmpty ? "" : "/\(part.name)")
                    entries.append(
                        Entry(
                            entity: .part(device: number, service: index, part: place), name: name,
                            meaning: ValueMeaning(played.quantity, of: service), part: carrier))
                }
            }
            devices.append(entries)
            handles.append(entries.map { node.device.handle(of: $0.part) })
        }
        handlesBefore = devices.map { _ in [] }
    }

    /// A device has its values at other handles.
    mutating func follow(_ device: Int, _ node: Node) {
        guard devices.indices.contains(device) else { return }
        handlesBefore[device] = handles[device]
        handles[device] = devices[device].map { node.device.handle(of: $0.part) }
    }

    /// The number of the value with a handle.
    func number(of handle: UInt16, of device: Int) -> Int {
        guard handles.indices.contains(device) else { return Self.unnamed }
        return handles[device].firstIndex(of: handle) ?? Self.unnamed
    }

    /// The same, for what may have been sent before the handles changed last, as it has been unless its client is told
    /// what has the handle now.
    func number(ofSent handle: UInt16, of device: Int, isTold: @autoclosure () -> Bool) -> Int {
        let number = number(of: handle, of: device)
        guard handlesBefore.indices.contains(device), let before = handlesBefore[device].firstIndex(of: handle),
            before != number, number == Self.unnamed || !isTold()
        else { return number }
        return before
    }

    /// Nil for what has no name.
    func entry(_ number: Int, of device: Int) -> Entry? {
        guard devices.indices.contains(device), devices[device].indices.contains(number) else { return nil }
        return devices[device][number]
    }

    /// Of the values of a device, or of one of its services.
    func handles(of device: Int, _ service: Int? = nil) -> [UInt16] {
        guard devices.indices.contains(device) else { return [] }
        return zip(devices[device], handles[device]).compactMap { entry, handle in
            service == nil || service == entry.part.service ? handle : nil
        }
    }

    /// What the octets of a value mean, as JSON; nil when they cannot be read, or nobody knows what they are.
    func json(_ octets: [UInt8], _ number: Int, of device: Int) -> String? {
        var text = JSONText()
        return write(octets[...], number, of: device, to: &text) ? text.string : nil
    }

    /// Adds what the octets of a value mean; false when they cannot be read, or nobody knows what they are.
    func write(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int, to text: inout JSONText) -> Bool {
        guard let meaning = entry(number, of: device)?.meaning else { return false }
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
