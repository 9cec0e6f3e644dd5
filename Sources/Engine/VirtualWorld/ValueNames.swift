import Basics
import Devices
import ScenarioModel

/// The values of a scenario's devices: names, codecs and handles.
struct ValueNames: Sendable {
    struct Entry: Sendable {
        let entity: EntityReference
        let name: String
        /// The codec of its octets; nil when none is known.
        let format: (any CharacteristicValue.Type)?
        fileprivate let value: DeviceValue
    }

    static let unnamed = 0xFFFF

    /// The values of each device, including those of absent services, so that the numbers in the logs do not change.
    private var devices: [[Entry]] = []
    /// For each service of each device, its first entry, and at last the number of all.
    private var starts: [[Int]] = []
    /// The handles of the entries; nil for absent ones.
    private var handles: [[UInt16?]] = []
    private var numbers: [HandleIndex] = []
    /// The numbers before the last change of handles; empty for a device without one.
    private var numbersBefore: [HandleIndex] = []

    init(_ scenario: Scenario, _ nodes: [Node]) {
        for (number, (device, node)) in zip(scenario.devices, nodes).enumerated() {
            var (entries, starts) = ([Entry](), [Int]())
            for (index, service) in device.services.enumerated() {
                starts.append(entries.count)
                for (place, value) in service.values.enumerated() where !value.isCarried {
                    let name = "\(device.id)/\(service.id)" + (value.name.isEmpty ? "" : "/\(value.name)")
                    entries.append(
                        Entry(
                            entity: .value(device: number, service: index, value: place), name: name,
                            format: service.description.format(of: value.id),
                            value: DeviceValue(service: index, value.id)))
                }
            }
            devices.append(entries)
            self.starts.append(starts + [entries.count])
            handles.append(entries.map { node.device.handle(of: $0.value) })
        }
        numbers = handles.map { HandleIndex($0) }
        numbersBefore = handles.map { _ in HandleIndex([]) }
    }

    mutating func follow(_ device: Int, _ node: Node) {
        guard devices.indices.contains(device) else { return }
        numbersBefore[device] = numbers[device]
        handles[device] = devices[device].map { node.device.handle(of: $0.value) }
        numbers[device] = HandleIndex(handles[device])
    }

    func number(of handle: UInt16, of device: Int) -> Int {
        guard numbers.indices.contains(device) else { return Self.unnamed }
        return numbers[device][handle] ?? Self.unnamed
    }

    /// The same for a value that may have been sent before the last change of handles: the old handle counts unless its
    /// client knows the new one.
    func number(ofSent handle: UInt16, of device: Int, isTold: @autoclosure () -> Bool) -> Int {
        let number = number(of: handle, of: device)
        guard numbersBefore.indices.contains(device), let before = numbersBefore[device][handle],
            before != number, number == Self.unnamed || !isTold()
        else { return number }
        return before
    }

    /// Nil for a value without a name.
    func entry(_ number: Int, of device: Int) -> Entry? {
        guard devices.indices.contains(device), devices[device].indices.contains(number) else { return nil }
        return devices[device][number]
    }

    func handles(of device: Int, _ service: Int? = nil) -> [UInt16] {
        guard devices.indices.contains(device) else { return [] }
        guard let service else { return handles[device].compactMap(\.self) }
        guard service >= 0, service + 1 < starts[device].count else { return [] }
        return handles[device][starts[device][service]..<starts[device][service + 1]].compactMap(\.self)
    }

    /// The decoded octets of a value as JSON; nil when they are malformed, or have no codec.
    func json(_ octets: [UInt8], _ number: Int, of device: Int) -> String? {
        var text = JSONText()
        return write(octets[...], number, of: device, to: &text) ? text.string : nil
    }

    /// The samples of a value in microvolts, and the number of its lead, which the log omits; nil for any other value.
    func samples(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int) -> (samples: [Int32], lead: UInt8?)? {
        guard let format = entry(number, of: device)?.format else { return nil }
        return (try? format.samples(in: octets)) ?? nil
    }

    /// The index of the first value of a frame, if the log omits it.
    func index(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int) -> UInt32? {
        guard let format = entry(number, of: device)?.format else { return nil }
        return (try? format.index(in: octets)) ?? nil
    }

    /// Writes the decoded octets of a value; false when they are malformed, or have no codec.
    func write(_ octets: ArraySlice<UInt8>, _ number: Int, of device: Int, to text: inout JSONText) -> Bool {
        guard let format = entry(number, of: device)?.format else { return false }
        do throws(Malformed) { try format.write(octets, to: &text) } catch { return false }
        return true
    }
}
