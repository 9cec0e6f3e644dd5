import ATT
import Bluetooth
import GATT

/// Reads and subscribes to everything on a device that has nothing that the client knows: one procedure after the other.
struct Survey: Sendable {
    private enum Step {
        /// A characteristic, or its descriptor at `handle`, of type `descriptor`.
        case read(characteristic: Int, handle: UInt16, descriptor: UUID?)
        case subscription(characteristic: Int, handle: UInt16, ClientConfiguration)
    }

    private var characteristics: [(service: UUID, found: DiscoveredCharacteristic)] = []
    /// In the order of their execution; the first is in progress.
    private var steps: ArraySlice<Step> = []

    /// Nil if nothing can be read or subscribed to.  Generic Attribute describes the other services.
    init?(_ services: [DiscoveredService]) {
        for service in services where service.uuid != .genericAttribute {
            characteristics += service.characteristics.map { (service.uuid, $0) }
        }
        var subscriptions: [Step] = []
        for (index, (_, found)) in characteristics.enumerated() {
            if found.properties.contains(.read) {
                steps.append(.read(characteristic: index, handle: found.valueHandle, descriptor: nil))
            }
            for descriptor in found.descriptors where descriptor.type != .clientCharacteristicConfiguration {
                steps.append(.read(characteristic: index, handle: descriptor.handle, descriptor: descriptor.type))
            }
            guard let handle = found.configurationHandle, let bits = found.configuration else { continue }
            subscriptions.append(.subscription(characteristic: index, handle: handle, bits))
        }
        steps += subscriptions
        if steps.isEmpty { return nil }
    }

    /// The procedure to ask for; nil after the last.
    var procedure: Procedure? {
        switch steps.first {
        case .read(_, let handle, _): .readLong(handle: handle)
        case .subscription(_, let handle, let configuration): .subscribe(handle: handle, to: configuration)
        case nil: nil
        }
    }

    /// The procedure in progress, in words.
    var words: String {
        switch steps.first {
        case .read(let index, _, let descriptor?): "reading \(descriptor) of \(characteristics[index].found.uuid)"
        case .read(let index, _, nil): "reading \(characteristics[index].found.uuid)"
        case .subscription(let index, _, _): "subscribing to \(characteristics[index].found.uuid)"
        case nil: "surveying"
        }
    }

    /// Ends the procedure in progress; returns the value if it has read one.
    mutating func advance(after outcome: Procedure.Outcome? = nil) -> SurveyedValue? {
        guard case .read(let index, let handle, let descriptor)? = steps.popFirst(),
            case .value(let octets)? = outcome
        else { return nil }
        let (service, found) = characteristics[index]
        return SurveyedValue(
            service: service, characteristic: found.uuid, descriptor: descriptor, handle: handle, octets: octets)
    }

    /// A value that was notified or indicated; nil for a handle that cannot be.
    func value(_ handle: UInt16, _ octets: [UInt8]) -> SurveyedValue? {
        let characteristic = characteristics.first { $0.found.valueHandle == handle && $0.found.configuration != nil }
        guard let (service, found) = characteristic else { return nil }
        return SurveyedValue(
            service: service, characteristic: found.uuid, descriptor: nil, handle: handle, octets: octets)
    }
}

extension DiscoveredCharacteristic {
    /// The bit to set in its Client Characteristic Configuration; nil if it can be neither notified nor indicated.
    fileprivate var configuration: ClientConfiguration? {
        properties.contains(.notify) ? .notification : properties.contains(.indicate) ? .indication : nil
    }
}
