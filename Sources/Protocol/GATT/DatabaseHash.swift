import ATT
import Bluetooth
import Cryptography
import Octets

extension AttributeTable {
    /// AES-CMAC, with a zero key, of the attributes' definitions; 16 octets, the least significant first.
    /// Core 6.0, Vol 3, Part G, sections 7.3 and 7.3.1.
    func databaseHash() throws(AESCMAC.Failure) -> [UInt8] {
        let key = [UInt8](repeating: 0, count: AESCMAC.count)
        return try AESCMAC.code(of: attributes.flatMap(\.definition), key: key).reversed()
    }

    /// The range of handles in which the definitions of the two tables differ, including attributes that only one of them
    /// has; nil if there is no difference.  Values that clients cannot cache do not count.
    func changes(since old: AttributeTable) -> HandleRange? {
        func isSame(_ one: Attribute, _ other: Attribute) -> Bool {
            one.handle == other.handle && one.type == other.type && one.permissions == other.permissions
                && one.groupEnd == other.groupEnd && one.definition == other.definition
        }
        let count = min(attributes.count, old.attributes.count)
        let same = zip(attributes, old.attributes).prefix { isSame($0, $1) }.count
        guard same < max(attributes.count, old.attributes.count) else { return nil }
        let tail = zip(attributes.reversed(), old.attributes.reversed()).prefix(count - same).prefix { isSame($0, $1) }
        let (new, gone) = (attributes[same...].dropLast(tail.count), old.attributes[same...].dropLast(tail.count))
        let (first, last) = (
            [new.first, gone.first].compactMap { $0?.handle }, [new.last, gone.last].compactMap(\.?.lastAffected)
        )
        guard let first = first.min(), let last = last.max() else { return nil }
        return HandleRange(first, last)
    }
}

extension AttributeTable.Attribute {
    /// The last handle that changes with this attribute: a characteristic's declaration affects the whole characteristic.
    fileprivate var lastAffected: UInt16 { type == .characteristic ? groupEnd : handle }

    /// The octets of this attribute that the hash covers: handle (2), type (2), and for declarations and Characteristic
    /// Extended Properties the value; none for a characteristic's value.
    fileprivate var definition: [UInt8] {
        guard let number = type.number else { return [] }
        var octets: [UInt8] = []
        octets.append(handle)
        octets.append(number)
        switch type {
        case .primaryService, .secondaryService, .include, .characteristic, .characteristicExtendedProperties:
            guard case .fixed(let value) = content else { return octets }
            return octets + value
        case .characteristicUserDescription, .clientCharacteristicConfiguration, .serverCharacteristicConfiguration,
            .characteristicPresentationFormat, UUID(0x2905):  // Characteristic Aggregate Format
            return octets
        default: return []
        }
    }
}
