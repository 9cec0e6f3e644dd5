import Basics
import Devices
import LEHost
import ScenarioModel

/// The values in the advertising data of a device, over time.
struct AdvertisedValues: Sendable {
    /// Advertising data, with the curves of their fields.
    private struct Content: Sendable {
        let advertising: Advertising
        let fields: [Advertising.Field]
        let begun: Instant
        private var signals: [Int: Signal] = [:]

        init(_ advertising: Advertising, begun: Instant, seed: RandomStream) {
            (self.advertising, self.begun, fields) = (advertising, begun, advertising.fields)
            for (index, field) in fields.enumerated() {
                guard case .curve(let curve) = field.source else { continue }
                var stream = seed.stream("field \(index)")
                signals[index] = Signal(curve, seed: stream.next())
            }
        }

        mutating func number(ofCurve index: Int, at now: Instant) -> Double? {
            signals[index]?.value(atNanoseconds: now.nanoseconds - begun.nanoseconds)
        }
    }

    /// What the device advertised last.
    struct Latest: Equatable, Sendable {
        var data: [UInt8]
        var scanResponse: [UInt8]
        var values: [Datum.Member]
    }

    private var usual: Content
    private var changed: Content?
    private let seed: RandomStream
    /// The next look at the values; nil while none is scheduled.
    var due: EventSchedule.Ticket?
    var latest: Latest?

    /// Nil for data without fields.
    init?(_ advertising: Advertising, seed: RandomStream) {
        guard !advertising.fields.isEmpty else { return nil }
        self.init(always: advertising, seed: seed)
    }

    init(always advertising: Advertising, seed: RandomStream) {
        (usual, self.seed) = (Content(advertising, begun: .start, seed: seed), seed)
    }

    /// The data, whose fields have no values yet.
    var advertising: Advertising { (changed ?? usual).advertising }
    var isChanging: Bool { (changed ?? usual).fields.contains(where: \.isChanging) }
    var fields: [Advertising.Field] { (changed ?? usual).fields }

    mutating func change(to advertising: Advertising?, begun: Instant) {
        changed = advertising.map { Content($0, begun: begun, seed: seed.stream("changed")) }
    }

    mutating func number(ofCurve index: Int, at now: Instant) -> Double? {
        changed == nil ? usual.number(ofCurve: index, at: now) : changed?.number(ofCurve: index, at: now)
    }
}

// Devices whose advertising data change: as firmware does, by new data while the controller goes on advertising.
extension World {
    /// The advertising data, with the present values.
    private mutating func fill(_ node: Int) -> (advertising: Advertising, values: [Datum.Member])? {
        guard let fields = nodes[node].advertised?.fields else { return nil }
        let now = now
        var (octets, values) = ([[UInt8]](), [Datum.Member]())
        for (index, field) in fields.enumerated() {
            let number: Double?
            var isTruth = false
            switch field.source {
            case .octets(let constant):
                octets.append(constant)
                continue
            case .curve: number = nodes[node].advertised?.number(ofCurve: index, at: now)
            case .value(let service, let place):
                let value = scenario.devices[node].services[service].values[place]
                number = nodes[node].device.number(of: DeviceValue(service: service, value.id), at: now)
                if case .truth = value.description.content { isTruth = true }
            }
            let encoded = field.encoded(number)
            octets.append(encoded.octets)
            guard let name = field.name else { continue }
            let datum = encoded.value.map { isTruth ? Datum.bool($0 >= 0.5) : .number($0) }
            values.append(Datum.Member(name, datum ?? .null))
        }
        return nodes[node].advertised.map { ($0.advertising.filled(with: octets), values) }
    }

    /// What a device advertises now; nil for data that never change.  Logs values that it has not advertised before.
    private mutating func renewAdvertisement(of node: Int) -> Renewal? {
        guard let (advertising, values) = fill(node) else { return nil }
        var device = scenario.devices[node]
        device.advertising = advertising
        let (data, scanResponse) = device.advertisement
        let latest = AdvertisedValues.Latest(data: data, scanResponse: scanResponse, values: values)
        let former = nodes[node].advertised?.latest
        nodes[node].advertised?.latest = latest
        // Fields without names, such as counters, are not told.
        if values.isEmpty ? former != latest : former?.values != values { noteAdvertised(values, by: node) }
        return Renewal(
            advertising: advertising, data: data, scanResponse: scanResponse, isOther: former != latest)
    }

    /// What a device advertises from now on.
    private struct Renewal {
        let advertising: Advertising
        let data: [UInt8]
        let scanResponse: [UInt8]
        /// Whether it differs from what the device advertised last.
        let isOther: Bool
    }

    /// The two payloads that a device advertises now.
    mutating func presentAdvertisement(of node: Int) -> (data: [UInt8], scanResponse: [UInt8]) {
        guard let renewal = renewAdvertisement(of: node) else { return scenario.devices[node].advertisement }
        return (renewal.data, renewal.scanResponse)
    }

    /// Gives the stack of a device the present data, if they change.
    mutating func tellAdvertisement(of node: Int) {
        guard let renewal = renewAdvertisement(of: node), renewal.isOther else { return }
        tell(node, .changeAdvertisement(renewal.advertising))
    }

    /// Looks at the values again after the time that the scenario chooses.
    mutating func keepAdvertisedValues(of node: Int) {
        guard let values = nodes[node].advertised, values.isChanging else { return }
        scheduleAdvertisedValues(of: node, due: now.advanced(by: values.advertising.update))
    }

    mutating func stopAdvertisedValues(of node: Int) {
        guard let ticket = nodes[node].advertised?.due else { return }
        cancel(ticket)
        nodes[node].advertised?.due = nil
    }

    /// Advertises the present values, if the device advertises.
    mutating func updateAdvertisedValues(of node: Int) {
        stopAdvertisedValues(of: node)
        if case .attributes = nodes[node].hosting {
            tellAdvertisement(of: node)
        } else if let renewal = renewAdvertisement(of: node), renewal.isOther {
            command(.changeAdvertisingData(renewal.data, scanResponse: renewal.scanResponse), of: node)
        }
        keepAdvertisedValues(of: node)
    }

    /// Changes the data of a device to those of the latest action, or back.
    mutating func changeAdvertising(of node: Int, begun: Instant?) {
        let usual = scenario.devices[node].advertising
        if nodes[node].advertised == nil {
            let seed = chance.stream("advertising \(scenario.devices[node].id)")
            nodes[node].advertised = AdvertisedValues(always: usual, seed: seed)
        }
        var changed: Advertising?
        if case .changeAdvertising(let change)? = nodes[node].conditions.last(.changeAdvertising) {
            changed = change.applied(to: usual)
        }
        let start = begun ?? now
        nodes[node].advertised?.change(to: changed, begun: start)
        if isToAdvertise(node, phase: nodes[node].phase) { updateAdvertisedValues(of: node) }
    }
}
