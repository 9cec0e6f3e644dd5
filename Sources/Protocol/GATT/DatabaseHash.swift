import ATT
import Bluetooth
import Cryptography
import Octets

extension AttributeTable {
    /// AES-CMAC, with a key of zeros, of all that defines the attributes; sent as a number is, the least significant
    /// octet first.  Core 6.0, Vol 3, Part G, sections 7.3 and 7.3.1.
    func databaseHash() throws(AESCMAC.Failure) -> [UInt8] {
        let key = [UInt8](repeating: 0, count: AESCMAC.count)
        return try AESCMAC.code(of: attributes.flatMap(\.definition), key: key).reversed()
    }

    /// The handles between which this table differs from another, which may name attributes that only one of them has;
    /// nil when both are defined alike.  Values do not count: only what a client may keep.
    func changes(since old: AttributeTable) -> HandleRange? {
        func isSame(_ one: Attribute, _ other: Attribute) -> Bool {
            one.handle == other.handle && one.type == other.type && one.permissions == other.permissions
                && one.groupEnd == other.groupEnd && one.definition == other.definition
        }
        let count = min(attributes.count, old.attributes.count)
        let same = zip(attributes, old.attributes).prefix { isSame($0, $1) }.count
        guard same < max(attributes.count, old.attributes.count) else { return nil }
        let alike = zip(attributes.reversed(), old.attributes.reversed()).prefix(count - same).prefix { isSame($0, $1) }
        let (mine, theirs) = (attributes[same...].dropLast(alike.count), old.attributes[same...].dropLast(alike.count))
        let (first, last) = (
            [mine.first, theirs.first].compactMap { $0?.handle }, [mine.last, theirs.last].compactMap(\.?.lastAffected)
        )
        guard let first = first.min(), let last = last.max() else { return nil }
        return HandleRange(first, last)
    }
}

extension AttributeTable.Attribute {
    /// Where what changes with this attribute ends: with a characteristic's declaration the characteristic does.
    fileprivate var lastAffected: UInt16 { type == .characteristic ? groupEnd : handle }

    /// Handle (2), type (2), and for declarations and Characteristic Extended Properties the value; nothing for what
    /// defines nothing.
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
