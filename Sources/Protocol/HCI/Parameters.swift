public import Bluetooth
public import Octets

/// A run of fields that a command, an event or the answer to a command consists of.
public protocol Parameters: Hashable, Sendable {
    /// Takes the fields off the reader; throws when they do not fit.
    init(from reader: inout OctetReader) throws(Malformed)

    /// Adds the fields as they are sent.
    func append(to octets: inout [UInt8])
}

extension Parameters {
    /// Reads exactly these octets; throws when they are too few, too many, or prohibited.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        self = try Self(from: &reader)
        try reader.finish()
    }

    /// The fields as they are sent.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        append(to: &octets)
        return octets
    }
}

extension ConnectionParameters: Parameters {
    /// Appends 8 octets.
    public func append(to octets: inout [UInt8]) { octets += self.octets }
}

extension OctetReader {
    /// The length of the parameters; throws unless exactly that many octets follow.
    mutating func parameterTotalLength() throws(Malformed) {
        let count = Int(try uint8("Parameter_Total_Length"))
        try expect(count, "Parameters")
    }

    /// A Connection_Handle: 12 bits; the other four are reserved and ignored.
    mutating func handle() throws(Malformed) -> UInt16 { try uint16("Connection_Handle") & 0x0FFF }

    /// An octet that is 0 or 1.
    mutating func flag(_ field: String) throws(Malformed) -> Bool {
        let at = position
        let value = try uint8(field)
        guard value <= 1 else { throw .prohibited(field: field, at: at, value: Int(value), allowed: "0 or 1") }
        return value == 1
    }

    /// An octet that is the number of a case.
    mutating func choice<Choice: RawRepresentable>(
        _ type: Choice.Type, _ field: String, allowed: String
    ) throws(Malformed) -> Choice where Choice.RawValue == UInt8 {
        let at = position
        let value = try uint8(field)
        guard let choice = Choice(rawValue: value) else {
            throw .prohibited(field: field, at: at, value: Int(value), allowed: allowed)
        }
        return choice
    }

    /// An octet of status.
    mutating func status(_ field: String = "Status") throws(Malformed) -> HCIStatus {
        HCIStatus(rawValue: try uint8(field))
    }

    /// An octet for the kind and six for the address.  2 and 3 are identity addresses that the controller
    /// resolved; for what is above HCI they are public and random.
    mutating func address(_ field: String) throws(Malformed) -> DeviceAddress {
        let at = position
        let kind = try uint8(field + "_Type")
        guard kind <= 3 else {
            throw .prohibited(field: field + "_Type", at: at, value: Int(kind), allowed: "0 to 3")
        }
        return try DeviceAddress(kind: kind & 1 == 0 ? .public : .random, from: &self, field)
    }

    /// A length up to `maximum`, and that number of octets.
    mutating func counted(_ field: String, maximum: Int) throws(Malformed) -> [UInt8] {
        let at = position
        let count = Int(try uint8(field + "_Length"))
        guard count <= maximum else {
            throw .prohibited(field: field + "_Length", at: at, value: count, allowed: "0 to \(maximum)")
        }
        return try octets(field, count: count)
    }

    /// A length up to 31, and always 31 octets, of which only the first `length` count.
    mutating func padded(_ field: String) throws(Malformed) -> [UInt8] {
        let at = position
        let count = try uint8(field + "_Length")
        guard count <= 31 else {
            throw .prohibited(field: field + "_Length", at: at, value: Int(count), allowed: "0 to 31")
        }
        return Array(try octets(field, count: 31).prefix(Int(count)))
    }

    /// An octet with a bit for each PHY; a bit that is not among the allowed ones would mean fields of unknown length.
    mutating func phys(_ field: String, allowed: UInt8) throws(Malformed) -> UInt8 {
        let at = position
        let phys = try uint8(field)
        guard phys & ~allowed == 0 else {
            let bits = String(allowed, radix: 2)
            throw .prohibited(field: field, at: at, value: Int(phys), allowed: "bits of 0b\(bits)")
        }
        return phys
    }
}

extension [UInt8] {
    mutating func append(_ address: DeviceAddress) {
        append(address.kind.rawValue)
        append(contentsOf: address.octets)
    }

    mutating func append(_ flag: Bool) { append(flag ? 1 : 0 as UInt8) }
}
