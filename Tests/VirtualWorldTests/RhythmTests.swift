import Basics
import ScenarioModel
import Testing
import VirtualWorld

/// What hosts agree about on the links of a world, as the trace shows it.
@Suite struct RhythmTests {
    /// How often these octets follow each other.
    private static func count(_ octets: [UInt8], in trace: [UInt8]) -> Int {
        trace.indices.count { trace[$0...].starts(with: octets) }
    }

    private static func harness(_ link: String) throws -> WorldHarness {
        try WorldHarness(TestScenario.strap("rhythm", more: "\"link\": \(link),", limit: "20 s").scenario)
    }

    /// LE Data Length Change at both ends: 251 octets, 2120 µs, in both directions.
    @Test func `Both ends use the longest data PDUs`() throws {
        let trace = try Self.harness("{}").trace
        #expect(Self.count([0x3E, 11, 7, 1, 0, 0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8], in: trace) == 2)
    }

    /// The request of section 4.20, the answer of section 4.21, and LE Connection Update Complete; nil: there is none.
    static let links: [(link: String, request: [UInt8]?, complete: [UInt8])] = [
        (
            #"{"interval": "15 ms", "latency": 2, "timeout": "4 s"}"#,
            [0x12, 1, 8, 0, 12, 0, 12, 0, 2, 0, 0x90, 1], [3, 0, 1, 0, 12, 0, 2, 0, 0x90, 1]
        ),
        (
            #"{"timeout": "4 s"}"#, [0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 1],
            [3, 0, 1, 0, 40, 0, 0, 0, 0x90, 1]
        ),
        // Longer intervals need a longer timeout: 4 s need more than 8 s.
        (
            #"{"interval": "4 s"}"#, [0x12, 1, 8, 0, 0x80, 12, 0x80, 12, 0, 0, 0x21, 3],
            [3, 0, 1, 0, 0x80, 12, 0, 0, 0x21, 3]
        ),
        ("{}", nil, []),
        (#"{"mtu": 100}"#, nil, []),
    ]

    @Test(arguments: links)
    func `A device's preferred parameters take effect`(link: String, request: [UInt8]?, complete: [UInt8]) throws {
        let harness = try Self.harness(link)
        guard let request else {
            #expect(Self.count([0x05, 0x00, 0x12, 1, 8, 0], in: harness.trace) == 0)
            return
        }
        // The trace has each packet at both ends.
        #expect(Self.count([0x05, 0x00] + request, in: harness.trace) == 2)
        #expect(Self.count([0x05, 0x00, 0x13, 1, 2, 0, 0, 0], in: harness.trace) == 2)
        #expect(Self.count([0x3E, 10] + complete, in: harness.trace) == 2)
        #expect(harness.records(.disconnected).isEmpty)
    }
}
