import Octets
import Peripheral
import Scenarios
import Services
import Spelling

/// The values of a scenario's devices: what they are called, how they are read, and which handles they have.
struct ValueNames: Sendable {
    struct Entry: Sendable {
        let entity: EntityReference
        let name: String
        /// How its octets are read; nil when nobody knows.
        let format: (any CharacteristicValue.Type)?
        /// As its device knows it.
        fileprivate let value: DeviceValue
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
                for (place, value) in service.values.enumerated() where !value.isCarried {
                    let name = "\(device.id)/\(service.id)" + (value.name.isEmpty ? "" : "/\(value.name)")
                    entries.append(
                        Entry(
                            entity: .part(device: number, service: index, part: place), name: name,
                            format: service.description.format(of: value.id),
                            value: DeviceValue(service: index, value.id)))
                }
            }
            devices.append(entries)
            handles.append(entries.map { node.device.handle(of: $0.value) })
        }
        handlesBefore = devices.map { _ in [] }
    }

    /// A device has its values at other handles.
    mutating func follow(_ device: Int, _ node: Node) {
        guard devices.indices.contains(device) else { return }
        handlesBefore[device] = handles[device]
        handles[device] = devices[device].map { node.device.handle(of: $0.value) }
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
            service == nil || service == entry.value.service ? handle : nil
        }
    }

    /// What the octets of a value mean, as JSON; nil when they cannot be read, or nobody knows what they are.
    func json(_ octets: [UInt8], _ number: Int, of device: Int) -> String? {
        var text = JSONText()
        return write(octets[...], number, of: device, to: &text) ? text.string : nil
    }

    /// The samples of a value in microvolts, and the number of its lead, which the log leaves out; nil for any other value.
    func samples(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int) -> (samples: [Int32], lead: UInt8?)? {
        guard let format = entry(number, of: device)?.format else { return nil }
        return (try? format.samples(in: octets)) ?? nil
    }

    /// Adds what the octets of a value mean; false when they cannot be read, or nobody knows what they are.
    func write(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int, to text: inout JSONText) -> Bool {
        guard let format = entry(number, of: device)?.format else { return false }
        do throws(Malformed) { try format.write(octets, to: &text) } catch { return false }
        return true
    }
}
