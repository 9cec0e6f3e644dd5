import Bluetooth
import Foundation
import GATT
import SystemBluetooth

// What a service contains, for the Bluetooth service below.
extension CBMutableService {
    /// Why Apple's framework does not publish the service; nil if it does.
    var problem: String? {
        for characteristic in characteristics ?? [] {
            guard let characteristic = characteristic as? CBMutableCharacteristic else {
                return "Characteristics must be of type CBMutableCharacteristic"
            }
            if let problem = characteristic.problem { return problem }
        }
        return nil
    }

    func definition(including includes: [UInt32]) -> LocalService {
        var service = LocalService(uuid.bluetooth, isPrimary: isPrimary)
        service.includes = includes
        service.characteristics = (characteristics ?? []).compactMap { ($0 as? CBMutableCharacteristic)?.definition }
        return service
    }
}

extension CBMutableCharacteristic {
    fileprivate var problem: String? {
        if value != nil, properties != .read || !permissions.isSubset(of: [.readable, .readEncryptionRequired]) {
            return "Characteristics with cached values must be read-only"
        }
        if !properties.isDisjoint(with: [.broadcast, .extendedProperties]) {
            return "Broadcast and extended properties are not allowed for local characteristics"
        }
        for descriptor in descriptors ?? [] where descriptor.octets == nil {
            return
                "Only a Characteristic User Description with a string and a Characteristic Presentation Format with data "
                + "can be published, not \(descriptor.uuid)"
        }
        return nil
    }

    fileprivate var definition: LocalCharacteristic {
        var declared = CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: properties.rawValue))
        if properties.contains(.notifyEncryptionRequired) { declared.insert(.notify) }
        if properties.contains(.indicateEncryptionRequired) { declared.insert(.indicate) }
        var result = LocalCharacteristic(uuid.bluetooth, declared)
        result.value = value.map { Array($0) }
        if !permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) {
            result.reading = permissions.contains(.readEncryptionRequired) ? .encrypted : []
        }
        if !permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired]) {
            result.writing = permissions.contains(.writeEncryptionRequired) ? .encrypted : []
        }
        let trusted: CBCharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
        result.subscribing = properties.isDisjoint(with: trusted) ? [] : .encrypted
        result.descriptors = (descriptors ?? []).compactMap { descriptor in
            descriptor.octets.map { LocalDescriptor(descriptor.uuid.bluetooth, $0) }
        }
        return result
    }
}

extension CBDescriptor {
    /// The octets of a descriptor that can be published.
    fileprivate var octets: [UInt8]? {
        switch (uuid.uuidString, value) {
        case (CBUUIDCharacteristicUserDescriptionString, let text as String): Array(text.utf8)
        case (CBUUIDCharacteristicFormatString, let data as Data): Array(data)
        default: nil
        }
    }
}
