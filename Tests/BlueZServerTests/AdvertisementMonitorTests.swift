import Basics
import Bluetooth
import DBus
import SystemBluetooth
import Testing

@testable import BlueZServer

/// Monitors of programs: what is valid, and when devices are found and lost.  src/adv_monitor.c.
@Suite struct AdvertisementMonitorTests {
    private static let peer = DeviceAddress(0xC0FF_EE00_0001, .random)

    private static func pattern(_ offset: UInt8, _ type: UInt8, _ octets: [UInt8]) -> Value {
        .structure([.byte(offset), .byte(type), .octets(octets)])
    }

    private static func patterns(_ patterns: Value...) -> Value {
        .array(of: .structure([.byte, .byte, .array(.byte)]), patterns)
    }

    private static func monitor(
        _ more: [(String, Value)] = [], type: Value = .string("or_patterns"),
        patterns: Value? = patterns(pattern(0, 3, [0x0D, 0x18]))
    ) -> AdvertisementMonitor? {
        var properties = [(name: "Type", value: type)] + more.map { (name: $0.0, value: $0.1) }
        if let patterns { properties.append(("Patterns", patterns)) }
        return AdvertisementMonitor(.options(properties))
    }

    // MARK: Properties

    @Test func `Type and patterns have to be valid`() {
        #expect(Self.monitor()?.patterns == [AdvertisingPattern(.complete16BitServices, at: 0, [0x0D, 0x18])])
        #expect(Self.monitor(type: .string("all")) == nil)
        #expect(Self.monitor(type: .byte(1)) == nil)
        #expect(Self.monitor(patterns: nil) == nil)
        #expect(Self.monitor(patterns: Self.patterns()) == nil)
        #expect(Self.monitor(patterns: .strings(["180d"])) == nil)
        for (valid, pattern) in [
            (true, Self.pattern(30, 0xFF, [1])), (true, Self.pattern(0, 0x3D, Array(repeating: 1, count: 31))),
            (false, Self.pattern(31, 0xFF, [1])), (false, Self.pattern(0, 0xFF, [])), (false, Self.pattern(0, 0, [1])),
            (false, Self.pattern(0, 0x3E, [1])), (false, Self.pattern(1, 0xFF, Array(repeating: 1, count: 31))),
            (false, .structure([.byte(0), .byte(1)])), (false, .structure([.byte(0), .uint16(1), .octets([1])])),
        ] {
            #expect((Self.monitor(patterns: Self.patterns(pattern)) != nil) == valid, "\(pattern)")
        }
        #expect(
            Self.monitor(patterns: Self.patterns(Self.pattern(0, 3, [1]), Self.pattern(0, 0, [1]))) == nil,
            "an invalid pattern after a valid one")
    }

    private typealias Thresholds = AdvertisementMonitor.Thresholds

    private static func thresholds(
        _ high: Int16, _ highTimeout: Int, _ low: Int16, _ lowTimeout: Int
    ) -> Thresholds {
        Thresholds(high: high, highTimeout: .seconds(highTimeout), low: low, lowTimeout: .seconds(lowTimeout))
    }

    @Test func `Thresholds that are not set have defaults; invalid ones are refused`() {
        let unset: [(String, Value)] = [
            ("RSSIHighThreshold", .int16(127)), ("RSSILowThreshold", .int16(127)), ("RSSIHighTimeout", .uint16(0)),
            ("RSSILowTimeout", .uint16(0)), ("RSSISamplingPeriod", .uint16(256)),
        ]
        for properties in [[], unset] {
            let monitor = Self.monitor(properties)
            #expect(monitor != nil && monitor?.thresholds == nil)
        }
        let valid: [(String, Value, Thresholds)] = [
            ("RSSIHighThreshold", .int16(-60), Self.thresholds(-60, 10, -127, 5)),
            ("RSSILowThreshold", .int16(-70), Self.thresholds(-70, 10, -70, 5)),
            ("RSSIHighTimeout", .uint16(1), Self.thresholds(-127, 1, -127, 5)),
            ("RSSILowTimeout", .uint16(300), Self.thresholds(-127, 10, -127, 300)),
            ("RSSISamplingPeriod", .uint16(0), Self.thresholds(-127, 10, -127, 5)),
        ]
        for (name, value, thresholds) in valid {
            #expect(Self.monitor([(name, value)])?.thresholds == thresholds, "\(name)")
        }
        let invalid: [[(String, Value)]] = [
            [("RSSIHighThreshold", .int16(21))], [("RSSIHighThreshold", .int16(-128))],
            [("RSSILowThreshold", .int16(-128))], [("RSSILowThreshold", .int16(21))],
            [("RSSIHighThreshold", .int16(-80)), ("RSSILowThreshold", .int16(-70))],
            [("RSSIHighTimeout", .uint16(301))], [("RSSILowTimeout", .uint16(301))],
            [("RSSISamplingPeriod", .uint16(257))], [("RSSIHighThreshold", .string("-60"))],
            [("RSSILowTimeout", .int16(5))],
        ]
        for properties in invalid { #expect(Self.monitor(properties) == nil, "\(properties)") }
    }

    // MARK: Devices

    /// What a monitor reports of advertisements, each at its second.
    private static func changes(
        _ heard: [(second: Int, rssi: Int8)], _ thresholds: [(String, Value)]
    ) throws -> [AdvertisementMonitor.Change?] {
        var monitor = try #require(Self.monitor(thresholds))
        return heard.map { second, rssi in
            monitor.hear(peer, rssi: rssi, at: Instant.start.advanced(by: .seconds(second)))
        }
    }

    private static let limits: [(String, Value)] = [
        ("RSSIHighThreshold", .int16(-60)), ("RSSIHighTimeout", .uint16(2)), ("RSSILowThreshold", .int16(-80)),
        ("RSSILowTimeout", .uint16(3)),
    ]

    @Test func `Without thresholds, each advertisement finds the device`() throws {
        #expect(try Self.changes([(0, -90), (0, -90), (1, -30)], []) == [.found, .found, .found])
    }

    @Test func `A device is found when it was stronger than the threshold for a while`() throws {
        #expect(
            try Self.changes([(0, -59), (1, -59), (2, -59), (3, -59)], Self.limits) == [nil, nil, .found, nil])
        #expect(try Self.changes([(0, -59), (1, -60), (2, -59), (3, -59)], Self.limits) == [nil, nil, nil, nil])
        #expect(
            try Self.changes([(0, -59), (3, -59), (4, -59), (5, -59)], Self.limits) == [nil, nil, nil, .found],
            "it was silent for longer")
    }

    @Test func `A device is lost when it was weaker than the other threshold for a while`() throws {
        let found: [(Int, Int8)] = [(0, -50), (2, -50)]
        func after(_ heard: [(Int, Int8)]) throws -> [AdvertisementMonitor.Change?] {
            Array(try Self.changes(found + heard, Self.limits).dropFirst(2))
        }
        #expect(try after([(3, -81), (5, -81), (6, -81), (7, -81)]) == [nil, nil, .lost, nil])
        #expect(try after([(3, -81), (5, -80), (6, -81), (7, -81)]) == [nil, nil, nil, nil])
        #expect(try after([(3, -70), (9, -70)]) == [nil, nil], "between the thresholds nothing changes")
    }

    @Test func `A device that was lost or forgotten is found anew`() throws {
        var monitor = try #require(Self.monitor(Self.limits))
        func hear(at second: Int) -> AdvertisementMonitor.Change? {
            monitor.hear(Self.peer, rssi: -50, at: Instant.start.advanced(by: .seconds(second)))
        }
        #expect([0, 1, 2].map { hear(at: $0) } == [nil, nil, .found])
        #expect(monitor.isTracking(Self.peer))
        monitor.lose(Self.peer)
        #expect(!monitor.isTracking(Self.peer))
        #expect([9, 10, 11].map { hear(at: $0) } == [nil, nil, .found])
        monitor.forget(Self.peer)
        #expect([12, 13, 14].map { hear(at: $0) } == [nil, nil, .found])
    }
}
