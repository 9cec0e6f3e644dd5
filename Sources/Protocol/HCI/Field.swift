public import Basics
import Bluetooth

/// One field of a command or an event: how it is read, and how it is written.
///
/// Both functions get the field as an argument: they capture nothing, so that making a field allocates nothing.
struct Field<Value>: Sendable {
    /// The specification's name, for the `Malformed` that reading throws.
    let name: String
    /// The allowed values, for the same; empty if all are.
    var allowed = ""
    /// The number of octets or elements, or its maximum.
    var count = 0
    let read: @Sendable (_ reader: inout OctetReader, _ field: Field) throws(Malformed) -> Value
    let write: @Sendable (_ value: Value, _ octets: inout [UInt8], _ field: Field) -> Void
}

/// The functions of a field, bound to it: a pack of fields would look up their layout at each use.
@usableFromInline struct BoundField<Value>: Sendable {
    @usableFromInline let read: @Sendable (_ reader: inout OctetReader) throws(Malformed) -> Value
    @usableFromInline let write: @Sendable (_ value: Value, _ octets: inout [UInt8]) -> Void

    init(_ field: Field<Value>) {
        read = { reader throws(Malformed) in try field.read(&reader, field) }
        write = { value, octets in field.write(value, &octets, field) }
    }
}

/// The fields of one kind of packet, in the order in which they are sent.
///
/// A class, since each copy of a value of unknown types looks up their layout.  For the same reason its functions and
/// their callers are inlinable: the modules that use them know the types.
@usableFromInline final class Fields<each Value>: Sendable {
    @usableFromInline let fields: (repeat BoundField<each Value>)

    init(_ fields: repeat Field<each Value>) { self.fields = (repeat BoundField(each fields)) }

    /// Reads all that is left after `header` octets; throws when it is not exactly these fields.
    @inlinable func read(_ octets: [UInt8], after header: Int) throws(Malformed) -> (repeat each Value) {
        var reader = OctetReader(octets)
        for _ in 0..<header { _ = try reader.uint8("Header") }
        let values = (repeat try (each fields).read(&reader))
        try reader.finish()
        return values
    }

    @inlinable func write(_ values: repeat each Value, to octets: inout [UInt8]) {
        repeat (each fields).write(each values, &octets)
    }
}

// MARK: Numbers

extension Field where Value: FixedWidthInteger & SendableMetatype {
    /// A number, the least significant octet first.
    static func number(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            try reader.integer(field.name)
        } write: { value, octets, _ in
            octets.append(littleEndian: value)
        }
    }
}

extension Field where Value: RawRepresentable & SendableMetatype, Value.RawValue: FixedWidthInteger & SendableMetatype {
    /// The number of a case or of a set of bits; throws for a number without a case.
    static func number(_ name: String, allowed: String = "") -> Self {
        Self(name: name, allowed: allowed) { reader, field throws(Malformed) in
            try reader.choice(field.name, allowed: field.allowed)
        } write: { value, octets, _ in
            octets.append(littleEndian: value.rawValue)
        }
    }
}

extension Field<UInt8> {
    static func uint8(_ name: String) -> Self { number(name) }

    /// A bit for each PHY of `allowed`; any other bit would mean fields of unknown length.
    static func phys(_ name: String, allowed: UInt8) -> Self {
        Self(name: name, count: Int(allowed)) { reader, field throws(Malformed) in
            let phys = try reader.uint8(field.name)
            try reader.check(
                Int(phys) & ~field.count == 0, field.name, phys, allowed: "bits of 0b\(String(field.count, radix: 2))")
            return phys
        } write: { phys, octets, _ in
            octets.append(phys)
        }
    }
}

extension Field<UInt16> {
    static func uint16(_ name: String) -> Self { number(name) }

    /// Connection_Handle: 12 bits; the other four are reserved, and ignored when they are read.
    static var handle: Self {
        Self(name: "Connection_Handle") { reader, field throws(Malformed) in
            try reader.uint16(field.name) & 0x0FFF
        } write: { handle, octets, _ in
            octets.append(handle)
        }
    }
}

extension Field<UInt32> {
    /// The lower 24 bits.
    static func uint24(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            try reader.uint24(field.name)
        } write: { value, octets, _ in
            octets.append(uint24: value)
        }
    }
}

extension Field<UInt64> {
    static func uint64(_ name: String) -> Self { number(name) }
}

extension Field where Value: OptionSet & SendableMetatype, Value.RawValue == UInt64 {
    /// A mask of 8 octets.
    static func mask(_ name: String, _: Value.Type) -> Self { number(name) }
}

extension Field<Bool> {
    /// 0 or 1.
    static func flag(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            let value = try reader.uint8(field.name)
            try reader.check(value <= 1, field.name, value, allowed: "0 or 1")
            return value == 1
        } write: { flag, octets, _ in
            octets.append(flag ? 1 : 0 as UInt8)
        }
    }
}

extension Field<HCIStatus> {
    static var status: Self { number("Status") }
    static func status(_ name: String) -> Self { number(name) }
}

extension Field<Opcode> {
    static var opcode: Self { number("Command_Opcode") }
}

extension Field<OwnAddress> {
    static var ownAddress: Self { number("Own_Address_Type", allowed: "0 to 3") }
}

// MARK: Addresses

extension Field<DeviceAddress> {
    /// 1 octet for the type, 6 for the address.
    static func address(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            try reader.address(field.name)
        } write: { address, octets, _ in
            octets.append(address)
        }
    }

    /// 6 octets.
    static func randomAddress(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            try DeviceAddress(kind: .random, from: &reader, field.name)
        } write: { address, octets, _ in
            octets.append(uint48: address.number)
        }
    }
}

/// An address that a controller reports.
struct ReportedAddress: Sendable {
    var address: DeviceAddress
    /// Whether the controller has resolved a private address to this identity address.
    var isResolved: Bool
}

extension Field<ReportedAddress> {
    /// 1 octet for the type, of which bit 1 means a resolved address, and 6 for the address.
    static func reportedAddress(_ name: String) -> Self {
        Self(name: name) { reader, field throws(Malformed) in
            var ahead = reader
            let isResolved = reader.remaining > 0 ? try ahead.uint8(field.name) & 0b10 != 0 : false
            return ReportedAddress(address: try reader.address(field.name), isResolved: isResolved)
        } write: { reported, octets, _ in
            octets.append(reported.address.kind.rawValue | (reported.isResolved ? 0b10 : 0))
            octets.append(uint48: reported.address.number)
        }
    }
}

// MARK: Octets

extension Field<[UInt8]> {
    /// `count` octets; fewer are padded with zeros when they are written, and more are cut.
    static func octets(_ name: String, count: Int) -> Self {
        Self(name: name, count: count) { reader, field throws(Malformed) in
            try reader.octets(field.name, count: field.count)
        } write: { value, octets, field in
            octets += (value + [UInt8](repeating: 0, count: field.count)).prefix(field.count)
        }
    }

    /// A length of 0 to `maximum`, and that number of octets; more are cut when they are written.
    static func counted(_ name: String, maximum: Int) -> Self {
        Self(name: name, count: maximum) { reader, field throws(Malformed) in
            try reader.octets(field.name, count: try reader.length(field.name, maximum: field.count))
        } write: { data, octets, field in
            octets.append(UInt8(clamping: min(data.count, field.count)))
            octets += data.prefix(field.count)
        }
    }

    /// A length of 0 to 31, and always 31 octets, of which only the first `length` count.
    static func advertisingData(_ name: String) -> Self {
        Self(name: name, count: 31) { reader, field throws(Malformed) in
            let length = try reader.length(field.name, maximum: field.count)
            return Array(try reader.octets(field.name, count: field.count).prefix(length))
        } write: { data, octets, field in
            octets.append(UInt8(clamping: min(data.count, field.count)))
            octets += (data + [UInt8](repeating: 0, count: field.count)).prefix(field.count)
        }
    }

    /// All that is left.
    static var rest: Self {
        Self(name: "") { reader, _ throws(Malformed) in
            reader.rest()
        } write: { value, octets, _ in
            octets += value
        }
    }
}

extension OctetReader {
    /// An octet for the kind and six for the address.  2 and 3 are identity addresses that the controller
    /// resolved; for what is above HCI they are public and random.
    mutating func address(_ field: String) throws(Malformed) -> DeviceAddress {
        // Names are joined only for errors.
        let kind = remaining > 0 ? try uint8(field) : try uint8(field + "_Type")
        if kind > 3 { try check(false, field + "_Type", kind, allowed: "0 to 3") }
        return try DeviceAddress(kind: kind & 1 == 0 ? .public : .random, from: &self, field)
    }

    /// The length of a field, up to `maximum`.
    fileprivate mutating func length(_ field: String, maximum: Int) throws(Malformed) -> Int {
        let count = remaining > 0 ? try uint8(field) : try uint8(field + "_Length")
        if count > maximum { try check(false, field + "_Length", count, allowed: "0 to \(maximum)") }
        return Int(count)
    }
}

extension [UInt8] {
    mutating func append(_ address: DeviceAddress) {
        append(address.kind.rawValue)
        append(uint48: address.number)
    }
}

// MARK: Runs of fields

extension Field where Value: OctetCodable {
    static func parameters(_: Value.Type = Value.self) -> Self {
        Self(name: "") { reader, _ throws(Malformed) in
            try Value(from: &reader)
        } write: { value, octets, _ in
            value.append(to: &octets)
        }
    }
}

extension Field {
    /// The parameters if `isPresent`, or else nothing.
    static func parameters<Wrapped: OctetCodable>(if isPresent: Bool) -> Self where Value == Wrapped? {
        Self(name: "", count: isPresent ? 1 : 0) { reader, field throws(Malformed) in
            field.count == 0 ? nil : try Wrapped(from: &reader)
        } write: { value, octets, _ in
            value?.append(to: &octets)
        }
    }

    /// A count of 0 to 255, and as many elements, each with all its fields: section 5.2 on arrayed parameters.  Only
    /// `maximum` elements are written.
    static func list<Element: OctetCodable>(
        _ count: String, of _: Element.Type = Element.self, maximum: Int = 255
    ) -> Self where Value == [Element] {
        Self(name: count, count: maximum) { reader, field throws(Malformed) in
            var list: [Element] = []
            for _ in 0..<(try reader.uint8(field.name)) { list.append(try Element(from: &reader)) }
            return list
        } write: { list, octets, field in
            octets.append(UInt8(clamping: min(list.count, field.count)))
            for element in list.prefix(field.count) { element.append(to: &octets) }
        }
    }
}
