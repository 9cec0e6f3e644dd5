public import Basics

/// SC Control Point, 0x2A55: a request that a client writes, or the response that the server indicates.  Running Speed and
/// Cadence Service 1.0, section 3.4.
///
/// | Octets | Field     | Content of a response                                   |
/// |--------|-----------|---------------------------------------------------------|
/// | 1      | Op Code   | 16                                                      |
/// | 0–n    | Parameter | Request Op Code, Response Value, Response Parameter     |
public struct SCControlPoint: OctetCodable, Hashable, Sendable {
    /// The Response Value.
    public enum Result: UInt8, CaseIterable, Sendable {
        /// 1: the procedure succeeded.
        case success = 1
        /// 2: the server does not support the Op Code.
        case opCodeNotSupported = 2
        /// 3: the server does not accept the Parameter.
        case invalidParameter = 3
        /// 4: the procedure failed.
        case operationFailed = 4
    }

    /// The Op Code of Set Cumulative Value, whose Parameter is a total distance of four octets in 1/10 m.
    public static let setCumulativeValueOpCode: UInt8 = 1
    /// The Op Code of a response.
    public static let responseOpCode: UInt8 = 16
    /// The ATT error for a request before the response to the last one is confirmed.  Section 1.6.
    public static let procedureAlreadyInProgress: UInt8 = 0x80
    /// The ATT error for a request without a subscription to the responses.  Section 1.6.
    public static let configurationImproper: UInt8 = 0x81

    /// The Op Code, known or not.
    public let opCode: UInt8
    /// The octets after the Op Code.
    public let parameter: [UInt8]

    private init(opCode: UInt8, parameter: [UInt8]) { (self.opCode, self.parameter) = (opCode, parameter) }

    /// The request to set the total distance, in decimetres.
    public static func setCumulativeValue(_ distance: UInt32) -> SCControlPoint {
        var parameter: [UInt8] = []
        parameter.append(distance)
        return SCControlPoint(opCode: setCumulativeValueOpCode, parameter: parameter)
    }

    /// The response to a request.
    public static func response(to request: UInt8, _ result: Result) -> SCControlPoint {
        SCControlPoint(opCode: responseOpCode, parameter: [request, result.rawValue])
    }

    /// Reads all octets; throws if there are none.
    public init(from reader: inout OctetReader) throws(Malformed) {
        opCode = try reader.uint8("Op Code")
        parameter = reader.rest()
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(opCode)
        octets += parameter
    }

    /// The total distance in decimetres that Set Cumulative Value sets; nil for anything else.
    public var cumulativeValue: UInt32? {
        guard opCode == Self.setCumulativeValueOpCode, parameter.count == 4 else { return nil }
        return parameter.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The Op Code of the request, and the Response Value; nil for anything but a response.
    public var response: (request: UInt8, result: Result)? {
        guard opCode == Self.responseOpCode, let request = parameter.first,
            let result = parameter.dropFirst().first.flatMap(Result.init)
        else { return nil }
        return (request, result)
    }
}

extension SCControlPoint: JSONWritable {
    /// Appends `{"set_total_distance_m": 0}`, `{"response_to": 1, "result": 1}`, or only `{"op_code": 3}`.
    public func write(to text: inout JSONText) {
        if let cumulativeValue {
            text.append("{\"set_total_distance_m\": ")
            text.append(thousandths: UInt64(cumulativeValue) * 100)
        } else if let response {
            text.append("{\"response_to\": ")
            text.append(Int64(response.request))
            text.append(", \"result\": ")
            text.append(Int64(response.result.rawValue))
        } else {
            text.append("{\"op_code\": ")
            text.append(Int64(opCode))
        }
        text.append("}")
    }
}
