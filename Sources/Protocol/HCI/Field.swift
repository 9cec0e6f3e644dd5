import Bluetooth
import Octets

/// One field of a command or an event: how it is read, and how it is written.
///
/// The static members are the fields that several packets share.  Their `name` is the specification's, and appears in
/// the `Malformed` that reading throws.
public struct Field<Value>: Sendable {
    let read: @Sendable (_ reader: inout OctetReader) throws(Malformed) -> Value
    let write: @Sendable (_ value: Value, _ octets: inout [UInt8]) -> Void
}

/// The fields of one kind of packet, in the order in which they are sent.
///
/// A class, since each copy of a value of unknown types looks up their layout.
final class Fields<each Value>: Sendable {
    private let fields: (repeat Field<each Value>)

    init(_ fields: repeat Field<each Value>) { self.fields = (repeat each fields) }

    /// Reads all that is left after `header` octets; throws when it is not exactly these fields.
    func read(_ octets: [UInt8], after header: Int) throws(Malformed) -> (repeat each Value) {
        var reader = OctetReader(octets)
        for _ in 0..<header { _ = try reader.uint8("Header") }
        let values = (repeat try (each fields).read(&reader))
        try reader.finish()
        return values
    }

    func write(_ values: repeat each Value, to octets: inout [UInt8]) {
        repeat (each fields).write(each values, &octets)
    }
}

// MARK: Numbers

extension Field where Value == UInt8 {
    static func uint8(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.uint8(name)
        } write: {
            $1.append($0)
        }
    }
}

extension Field where Value == UInt16 {
    static func uint16(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.uint16(name)
        } write: {
            $1.append($0)
        }
    }

    /// Connection_Handle: 12 bits; the other four are reserved, and ignored when they are read.
    static var handle: Self {
        Self { reader throws(Malformed) in
            try reader.handle()
        } write: {
            $1.append($0)
        }
    }
}

extension Field where Value == UInt64 {
    static func uint64(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.uint64(name)
        } write: {
            $1.append($0)
        }
    }
}

extension Field where Value: OptionSet & Sendable, Value.RawValue == UInt64 {
    /// A mask of 8 octets.
    static func mask(_ name: String, _: Value.Type) -> Self {
        Self { reader throws(Malformed) in
            Value(rawValue: try reader.uint64(name))
        } write: {
            $1.append($0.rawValue)
        }
    }
}

extension Field where Value == Bool {
    /// 0 or 1.
    static func flag(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.flag(name)
        } write: {
            $1.append($0)
        }
    }
}

extension Field where Value == HCIStatus {
    static var status: Self { status("Status") }

    static func status(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.status(name)
        } write: {
            $1.append($0.rawValue)
        }
    }
}

extension Field where Value == Opcode {
    static var opcode: Self {
        Self { reader throws(Malformed) in
            Opcode(rawValue: try reader.uint16("Command_Opcode"))
        } write: {
            $1.append($0.rawValue)
        }
    }
}

// MARK: Addresses

extension Field where Value == DeviceAddress {
    /// 1 octet for the type, 6 for the address.
    static func address(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.address(name)
        } write: {
            $1.append($0)
        }
    }

    /// 6 octets.
    static func randomAddress(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try DeviceAddress(kind: .random, from: &reader, name)
        } write: {
            $1 += $0.octets
        }
    }
}

// MARK: Octets

extension Field where Value == [UInt8] {
    /// `count` octets; fewer are padded with zeros when they are written, and more are cut.
    static func octets(_ name: String, count: Int) -> Self {
        Self { reader throws(Malformed) in
            try reader.octets(name, count: count)
        } write: {
            $1 += ($0 + [UInt8](repeating: 0, count: count)).prefix(count)
        }
    }

    /// A length of 0 to 31, and always 31 octets, of which only the first `length` count.
    static func advertisingData(_ name: String) -> Self {
        Self { reader throws(Malformed) in
            try reader.padded(name)
        } write: { data, octets in
            octets.append(UInt8(clamping: min(data.count, 31)))
            octets += (data + [UInt8](repeating: 0, count: 31)).prefix(31)
        }
    }

    /// All that is left.
    static var rest: Self {
        Self { reader throws(Malformed) in
            reader.rest()
        } write: {
            $1 += $0
        }
    }
}

// MARK: Runs of fields

extension Field where Value: Parameters {
    static func parameters(_: Value.Type) -> Self {
        Self { reader throws(Malformed) in
            try Value(from: &reader)
        } write: {
            $0.append(to: &$1)
        }
    }
}

extension Field {
    /// A count of 0 to 255, and as many elements, each with all its fields: section 5.2 on arrayed parameters.
    static func list<Element: Parameters>(_ count: String, of _: Element.Type) -> Self where Value == [Element] {
        Self { reader throws(Malformed) in
            var list: [Element] = []
            for _ in 0..<(try reader.uint8(count)) { list.append(try Element(from: &reader)) }
            return list
        } write: { list, octets in
            octets.append(UInt8(clamping: list.count))
            for element in list.prefix(255) { element.append(to: &octets) }
        }
    }
}
