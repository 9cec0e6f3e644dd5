import Documents
import Testing

@testable import Devices
@testable import ScenarioLanguage

@Suite struct CSVTableTests {
    private func samples(_ text: String) throws -> [Curve.Sample] {
        try CSVTable.samples(Array(text.utf8), column: nil, time: nil)
    }

    @Test(arguments: [
        "60", "-60", "60.5", "0.1", ".5", "5.", "-0", "123456789012345", "1.00000000000001", "1234567890123456",
        "0.30000000000000004", "9007199254740993", "1e3", "-1.5E-3", "+7", "0x10", "1.7976931348623157e308", "5e-324",
    ])
    func `A number is read exactly`(text: String) throws {
        let value = try #require(samples("time,bpm\n0, \(text) ").first?.value)
        #expect(value.bitPattern == Double(text)?.bitPattern)
    }

    @Test(arguments: ["", "-", ".", "1.2.3", "1-", "--1", "inf", "nan", "1e999", "6o", "1 2", "1_0"])
    func `Any other text is refused`(text: String) {
        #expect(throws: CSVTable.Failure.self) { try samples("time,bpm\n0,\(text)") }
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func `Lines have any end, and may be empty`(end: String) throws {
        let lines = ["time,bpm", "0,60", "", "1,61", "", ""]
        #expect(
            try samples(lines.joined(separator: end)) == [.init(at: .zero, 60), .init(at: .seconds(1), 61)])
        let failure = #expect(throws: CSVTable.Failure.self) { try samples((lines + ["1,62"]).joined(separator: end)) }
        #expect(failure?.line == 7)
    }
}
