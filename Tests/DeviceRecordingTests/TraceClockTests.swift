import Basics
import Documents
import ScenarioModel
import Synchronization
import Testing

@testable import Checks
@testable import DeviceRecording
@testable import ScenarioLanguage
@testable import VirtualWorld

/// Clocks are set while packets are recorded: stamps can be any numbers.
@Suite struct TraceClockTests {
    private static let year: Int64 = 365 * 86_400_000_000
    /// 2024, in microseconds since the year 0.
    private static let present: Int64 = 0x00E0_3AB4_4A67_6000

    /// Stamps, the microseconds since the start that follow from them, and how often the clock was set.
    static let clocks: [(stamps: [Int64], passed: [Int64], changes: Int)] = [
        ([present, present + 5, present + 5], [0, 5, 5], 0),
        ([0, present, present + 7], [0, 0, 7], 1),
        ([-present, -present + 3], [0, 3], 0),
        ([present, present + 285 * year, present + 285 * year + 1], [0, 0, 1], 1),
        ([present, present - year, present - year + 2], [0, 0, 2], 1),
        ([present, present + 7 * 86_400_000_000], [0, 7 * 86_400_000_000], 0),
        ([present, present + 7 * 86_400_000_000 + 1], [0, 0], 1),
        // A little out of order.
        ([present, present + 10, present + 4, present + 12], [0, 10, 10, 12], 0),
        ([.min, .max, .min, .min + 1], [0, 0, 0, 1], 2),
        ([.max, .min], [0, 0], 1),
    ]

    @Test(arguments: clocks.indices) func `No time passes where the clock was set`(index: Int) {
        let (stamps, passed, changes) = Self.clocks[index]
        var clock = TraceClock()
        #expect(stamps.map { clock.instant(at: $0).nanoseconds } == passed.map { $0 * 1000 })
        #expect(clock.changes == changes)
    }

    @Test func `Whatever the stamps, the times rise and stay within what a table can have`() {
        var (clock, state, last) = (TraceClock(), UInt64(1), Instant.start)
        for step in 0..<100_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let any = Int64(bitPattern: state)
            let stamp = step.isMultiple(of: 4) ? any : any >> 24  // about six days
            let next = clock.instant(at: stamp)
            #expect(next >= last)
            last = next
        }
        for step in 0..<5000 { last = clock.instant(at: Int64(step) * Self.year / 60) }
        #expect(last.sinceStart <= .seconds(1_000_000_000))
    }

    /// How the stamps of a trace come from the time of its packets, in microseconds.
    static let stamps: [(name: String, stamp: @Sendable (_ number: Int, _ time: Int64) -> Int64)] = [
        ("as they were", { present + $1 }),
        ("the first at 0", { $0 == 0 ? 0 : present + $1 }),
        ("before the epoch", { -present + $1 }),
        ("285 years after the first ones", { ($0 < 100 ? 0 : 285 * year) + $1 }),
        ("a year earlier each time", { present - Int64($0) * year + $1 }),
        ("the largest and the smallest", { $0.isMultiple(of: 2) ? .max : .min + $1 }),
    ]

    @Test(arguments: stamps.indices) func `All packets of a trace are used, and the recording is a valid scenario`(
        index: Int
    ) throws {
        let packets = try Self.packets()
        var capture = DeviceCapture()
        var trace = try PacketTrace(Self.trace(packets, Self.stamps[index].stamp))
        try trace.forEach { capture.take($0, controller: $1, at: $2, $3) }
        let device = try #require(capture.devices.first)
        let recording = RecordedScenario(device, .init(note: "a test", table: "strap.csv"))
        let table = try #require(recording.table())
        #expect(table.count >= 4)
        let files = ["strap.json": Array(recording.root.indentedJSON.utf8), "strap.csv": Array(table.text.utf8)]
        let reading = ScenarioFile.read("strap.json") { files[$0] }
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        #expect(reading.scenario != nil)
    }

    private typealias Packet = (kind: PacketRecord.Kind, microseconds: Int64, octets: [UInt8])

    /// The packets of a client that visits a strap.
    private static func packets() throws -> [Packet] {
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#
        let scenario = try #require(ScenarioFile.read("x.json") { _ in Array(text.utf8) }.scenario)
        let packets = Mutex<[Packet]>([])
        var world = try World(scenario, seed: 1)
        world.packets = PacketLog { chunk in
            packets.withLock { packets in
                for record in chunk.records where record.controller == 1 {
                    packets.append(
                        (record.kind, record.instant.nanoseconds / 1000, Array(chunk.octets(of: record))))
                }
            }
        }
        _ = try Visit.run(to: 0, of: world, for: .seconds(5)).get()
        return packets.withLock { $0 }
    }

    /// A trace in the format of btmon.
    private static func trace(_ packets: [Packet], _ stamp: (Int, Int64) -> Int64) -> [UInt8] {
        func big(_ number: some FixedWidthInteger) -> [UInt8] {
            (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let header = Array("btsnoop\0".utf8) + big(UInt32(1)) + big(UInt32(2001))
        return packets.enumerated().reduce(into: header) { octets, item in
            let (kind, time, packet) = item.element
            octets += big(UInt32(packet.count)) + big(UInt32(packet.count)) + big(UInt32(kind.rawValue))
            octets += big(UInt32(0)) + big(stamp(item.offset, time)) + packet
        }
    }
}
