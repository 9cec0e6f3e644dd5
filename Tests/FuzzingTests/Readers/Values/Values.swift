import Basics
import Characteristics
import Devices
import Documents
import Fuzzing
import Services

extension Reader {
    /// The first octet selects the codec.
    static let values = Reader(
        "values", "values of characteristics: they survive decoding and encoding, and are valid JSON"
    ) { octets throws(Broken) in
        let (choice, octets) = (Int(octets.first ?? 0), octets.dropFirst())
        if choice < formats.count {
            try check(formats[choice], octets)
        } else {
            try checkOther(choice - formats.count, octets)
        }
    }

    private static let formats: [any CharacteristicValue.Type] =
        ServiceRegistry.all.flatMap(\.characteristics).compactMap(\.format)

    /// Values that clients do not print.
    private static func checkOther(_ choice: Int, _ octets: ArraySlice<UInt8>) throws(Broken) {
        switch choice {
        case 0: try survives(PMD.Request.self, octets)
        case 1: try survives(PMD.Response.self, octets)
        case 2: try survives(PMD.Features.self, octets)
        case 3: try survives(DateTime.self, octets)
        case 4: try survives(MeasurementIntervalRange.self, octets)
        case 5: try survives(HeartRateControlPoint.self, octets)
        case 6: try survives(PnPID.self, octets)
        case 7: try survives(ServiceChanged.self, octets)
        default: try answers(octets)
        }
    }

    private static func answers(_ octets: ArraySlice<UInt8>) throws(Broken) {
        var control = PMDControlPoint()
        let answer = control.answer(Array(octets), mtu: 23)
        try require((try? PMD.Response(octets: answer.octets)) == answer, "the response is \(answer.octets.hex)")
    }

    private static func survives<Value: OctetCodable & Equatable>(
        _ type: Value.Type, _ octets: ArraySlice<UInt8>
    ) throws(Broken) {
        guard let value = try? Value(octets: octets) else { return }
        try require((try? Value(octets: value.octets)) == value, "\(value) is written as \(value.octets.hex)")
    }

    private static func check<Value: CharacteristicValue>(
        _ type: Value.Type, _ octets: ArraySlice<UInt8>
    ) throws(Broken) {
        _ = try? Value.samples(in: octets)
        guard let value = try? Value(octets: octets) else { return }
        if let codable = value as? any OctetCodable {
            let again = try? Value(octets: codable.octets[...])
            try require(again == value, "\(value) is written as \(codable.octets.hex)")
        }
        try require(isJSON(value.json), "\(value.json) is not JSON")
        var line = JSONText()
        value.writeLine(to: &line)
        try require(isJSON(String(decoding: line.octets, as: UTF8.self)), "a client's line is not JSON")
        _ = (value.words, value.number(of: nil))
    }

    private static func isJSON(_ text: String) -> Bool { (try? Node(json: text.utf8, file: "")) != nil }
}
