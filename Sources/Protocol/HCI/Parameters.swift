import Basics
import Bluetooth

/// The parameters of a command or an event, or the answer to a command: declares its fields once, for reading and for
/// writing.
protocol FieldwiseParameters: OctetCodable, Hashable, Sendable {
    /// Any value: reading replaces all its fields.
    init()

    /// Codes the fields in the order in which they are sent.
    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure)
}

/// Reads values of fields, or writes them.
protocol FieldCoder {
    associatedtype Failure: Error

    mutating func code<Value>(_ value: inout Value, _ field: Field<Value>) throws(Failure)
}

extension FieldCoder {
    /// Codes an address and whether the controller has resolved it.
    mutating func code(
        _ address: inout DeviceAddress, _ isResolved: inout Bool, _ name: String
    ) throws(Failure) {
        var reported = ReportedAddress(address: address, isResolved: isResolved)
        try code(&reported, .reportedAddress(name))
        (address, isResolved) = (reported.address, reported.isResolved)
    }
}

extension FieldwiseParameters {
    /// Takes the fields off the reader; throws when they do not fit.
    public init(from reader: inout OctetReader) throws(Malformed) {
        self.init()
        var coder = FieldReader(reader: reader)
        try code(with: &coder)
        reader = coder.reader
    }

    /// Adds the fields as they are sent.
    public func append(to octets: inout [UInt8]) {
        var (copy, coder) = (self, FieldWriter(octets: octets))
        octets = []  // so that the array has one owner, and is not copied
        copy.code(with: &coder)
        octets = coder.octets
    }
}

private struct FieldReader: FieldCoder {
    var reader: OctetReader

    mutating func code<Value>(_ value: inout Value, _ field: Field<Value>) throws(Malformed) {
        value = try field.read(&reader, field)
    }
}

private struct FieldWriter: FieldCoder {
    var octets: [UInt8]

    mutating func code<Value>(_ value: inout Value, _ field: Field<Value>) { field.write(value, &octets, field) }
}

extension ConnectionParameters {
    static let zero = ConnectionParameters(
        minimumInterval: 0, maximumInterval: 0, latency: 0, supervisionTimeout: 0)
}

extension OctetReader {
    /// The length of the parameters; throws unless exactly that many octets follow.
    mutating func parameterTotalLength() throws(Malformed) {
        let count = Int(try uint8("Parameter_Total_Length"))
        try expect(count, "Parameters")
    }
}
