import ATT
import Bluetooth
import CheckCatalogue
import Expectations
import HCI
import LEHost
import ScenarioModel
import Testing
import VirtualWorld

@testable import Checks

/// Peripherals that do what the specifications permit, but few do: a check must not fail them.
@Suite struct LegalVariantTests {
    struct Variant: Sendable, CustomTestStringConvertible {
        let peripheral: Peripheral
        /// The verdict of each of these checks.
        let verdicts: [String: Verdict]

        init(_ peripheral: Peripheral, _ verdicts: [String: Verdict]) {
            (self.peripheral, self.verdicts) = (peripheral, verdicts)
        }

        var testDescription: String { peripheral.name }
    }

    /// Rejects some Prepare Write Requests, those whose beginning is `found` after the opcode, with an error.
    private static func rejectsPrepared(_ found: String, with error: String) -> [Mutation.Change] {
        [
            .init(.received(0x16), at: 1, found, becomes: "00 00 .. .."),
            .init(.att(0x01), at: 1, "16 .. .. 01", becomes: ".. .. .. \(error)"),
        ]
    }

    private static func named(_ deviceName: String) -> Peripheral {
        var peripheral = Peripheral.full
        (peripheral.deviceName, peripheral.link) = (deviceName, #"{"mtu": 23}"#)
        return peripheral
    }

    static let variants = [
        // As Nordic's nRF5 SDK by default.  Core 6.0, Vol 3, Part F, sections 3.4.1.1 and 3.4.6.1.
        Variant(
            Peripheral.full.but(
                "no_queue", "rejects every prepared write with an application error", "",
                by: rejectsPrepared(".. .. .. ..", with: "80")
                    + [.init(.att(0x19), at: 0, "19", becomes: "01 18 00 00 80")]),
            ["GATT/SR/GAW/BV-06-C": .skip, "GATT/SR/GAW/BV-09-C": .skip, "GATT/SR/GAW/BV-11-C": .skip]),
        // As Zephyr with CONFIG_BT_ATT_PREPARE_COUNT=1.
        Variant(
            Peripheral.full.but(
                "queue_of_one", "has room for one prepared write", "", by: rejectsPrepared(".. .. 01 00", with: "09")),
            ["GATT/SR/GAW/BV-09-C": .pass, "GATT/SR/GAW/BV-11-C": .pass]),
        // Section 3.4.4.8 and 3.4.4.12: responses are cut to the MTU.
        Variant(
            named("Polar H10 BC3CF62E"), ["GATT/SR/GAR/BV-05-C": .pass, "GATT/SR/GAR/BV-09-C": .pass]),
        Variant(
            named("A strap with a long name"), ["GATT/SR/GAR/BV-05-C": .pass, "GATT/SR/GAR/BV-09-C": .pass]),
        // A reserved value of Flags.  Section 3.4.6.3.
        Variant(
            Peripheral.full.but(
                "any_flag_executes", "ignores reserved Execute Write flags", "",
                by: [.init(.received(0x18), at: 0, "18 02", becomes: "18 01")]),
            ["robustness/execute_flags": .pass]),
        Variant(
            Peripheral.full.but(
                "overlooks_surplus", "ignores an extra octet of a request", "",
                by: [.init(.received(0x0A), at: 0, "0A .. .. 00", becomes: "0A .. ..")]),
            ["robustness/too_long": .pass]),
        // Part G, section 4.9.3, demands a response, and not that a value is kept.
        Variant(
            Peripheral.book.but(
                "normalizes", "changes what is written to a value", "",
                by: [.init(.received(0x12), at: 1, "30 00 ..", becomes: "30 00 21")]),
            ["GATT/SR/GAW/BV-03-C": .pass]),
        // Assigned Numbers, section 2.4.1: medASN1.
        Variant(
            Peripheral.book.but(
                "medical_format", "has a presentation format of 1C", "",
                by: [Peripheral.says("1C 00 00 27", instead: "06 00 00 27")]),
            ["GATT/SR/GPA/BV-12-C": .pass]),
        // Running Speed and Cadence Service 1.0, section 3.4: Op Code 01 depends on the total distance.
        Variant(
            Peripheral.runner.but(
                "no_distance", "has an SC Control Point, but no total distance", "",
                by: [
                    Peripheral.says("05 00", instead: "07 00"),
                    .init(.att(0x1D), at: 3, "10 01 ..", becomes: "10 01 02"),
                ]),
            [
                "running/sets_cumulative_value": .skip, "running/wrong_parameter": .skip,
                "running/unknown_op_code": .pass,
            ]),
        Variant(
            Peripheral.runner.but(
                "counts_octets", "rejects a truncated distance with Invalid Attribute Value Length", "",
                by: [
                    .init(.received(0x12), at: 0, "12 .. .. 01 10", becomes: "12 00 00 01 10"),
                    .init(.att(0x01), at: 1, "12 .. .. 01", becomes: ".. .. .. 0D"),
                ]),
            ["running/wrong_parameter": .pass]),
        // Core 6.0, Vol 3, Part C, section 10.3: the first configuration requires encryption; that of Service Changed is hidden.
        Variant(
            Peripheral.sealed.but(
                "sealed_configuration", "requires encryption for its first configuration", "",
                by: [.init(.att(0x05), at: 0, "05 01 09 00 02 29", becomes: "05 01 09 00 03 29")]),
            [
                "GATT/SR/GAW/BV-08-C": .pass, "GATT/SR/GAW/BV-09-C": .pass, "gatt/configuration_length": .pass,
            ]),
        // Only a heart-rate sensor should advertise again.
        Variant(
            Peripheral.thermometer.but(
                "measures_once", "advertises only while it has data", "",
                script: #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stop_advertising", "of": "strap"}"#),
            ["reconnection/advertises_again": .inconclusive, "reconnection/advertises_after_loss": .skip]),
        // Heart Rate Profile 1.0, section 5.1.1: a sensor that nobody wears may sleep.
        Variant(
            strap(
                "asleep", "stops advertising when nobody wears it", #""contact": false"#,
                #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stop_advertising", "of": "strap"}"#),
            ["reconnection/advertises_again": .inconclusive, "reconnection/sends_again": .skip]),
        Variant(
            strap(
                "woken", "advertises again when its button is pressed, half a minute later", #""contact": true"#,
                #"""
                {"when": {"event": "disconnected", "of": "strap"}, "do": "stop_advertising", "of": "strap",
                 "for": "30 s"}
                """#), ["reconnection/advertises_again": .pass, "reconnection/sends_again": .pass]),
        Variant(
            strap(
                "searching", "needs 20 s for its first measurement", #""contact": true"#,
                #"{"when": "subscribed", "do": "silence", "of": "strap/heart_rate", "for": "20 s"}"#),
            ["reconnection/sends_again": .skip]),
        Variant(
            strap(
                "slower", "needs 25 s for its first measurement after it was used", #""contact": true"#,
                #"""
                {"when": {"event": "subscribed", "of": "strap/heart_rate", "nth": 2}, "do": "silence",
                 "of": "strap/heart_rate", "for": "25 s"}
                """#), ["reconnection/sends_again": .pass]),
        // It reports that there is no contact.  Heart Rate Service 1.0, section 3.1.1.1.2.
        Variant(
            strap(
                "taken_off", "is taken off during the reconnection", #""contact": true"#,
                #"""
                {"when": {"event": "disconnected", "of": "strap"}, "do": "set", "of": "strap/heart_rate/contact",
                 "to": false}
                """#), ["reconnection/sends_again": .pass]),
    ]

    private static func strap(_ name: String, _ about: String, _ field: String, _ rule: String) -> Peripheral {
        Peripheral(
            name: name, about: about, services: [#"{"service": "heart_rate", "value": 72, \#(field)}"#], script: [rule])
    }

    private static func check(_ id: String) throws -> Check { try #require(Check.all.first { $0.id == id }) }

    @Test(arguments: variants) func `a variant that the specifications permit fails no check`(
        variant: Variant
    ) throws {
        let checks = try variant.verdicts.keys.sorted().map(Self.check)
        for outcome in try Matrix.Row(variant.peripheral, running: checks).outcomes {
            #expect(outcome.verdict == variant.verdicts[outcome.check.id], "\(outcome.words)")
        }
    }

    /// Heart Rate Profile 1.0 and Health Thermometer Profile 1.0, sections 3.1.1, 3.1.2 and 5.1.3: "should".
    @Test(arguments: [
        "HRP/SEN/HRF/BV-01-C", "HRP/SEN/HRF/BV-02-C", "HTP/SEN/THF/BV-01-C", "HTP/SEN/THF/BV-02-C",
        "reconnection/advertises_after_loss",
    ]) func `a recommendation of a profile is not required`(id: String) throws {
        #expect(try Self.check(id).weight == .recommended)
    }

    /// Heart Rate Service 1.0, section 3.1: a strap that is not worn has no measurement.
    @Test func `a real strap that sends nothing is not judged`() throws {
        let mute = try #require(Peripheral.mutants.first { $0.name == "mute" })
        let check = try Self.check("HRS/SEN/CN/BV-01-C")
        let outcome = check.run(on: .name("Lubdub HRM"), over: try AlteredHost(mute))
        #expect(outcome.verdict == .inconclusive)
        #expect(outcome.reason?.contains("wearing") == true)
    }

    // MARK: Energy Expended

    /// A strap whose energy grows by kJ/h, with a measurement every few seconds.
    private static func spending(_ kilojoules: Int, each seconds: Int) -> Peripheral {
        Peripheral(
            name: "spending", about: "",
            services: [
                #"""
                {"service": "heart_rate", "value": 150, "period": "\#(seconds) s",
                 "energy": {"curve": "ramp", "start": 0, "end": \#(kilojoules), "over": "1 h"}}
                """#
            ])
    }

    /// At rest, running, and sprinting; a measurement comes up to 5 s after the reset.
    @Test(arguments: [(300, 1), (300, 5), (5000, 1), (5000, 5), (10_000, 5)])
    func `energy may grow between its reset and the next measurement`(kilojoules: Int, seconds: Int) throws {
        let host = try AlteredHost(Self.spending(kilojoules, each: seconds))
        let outcome = try Self.check("HRS/SEN/CW/BV-01-C").run(on: .name("Lubdub HRM"), over: host)
        #expect(outcome.verdict == .pass, "\(outcome.words)")
    }

    @Test func `a real strap that accepts a reset, but keeps its energy, fails`() throws {
        let mutant = try #require(Peripheral.mutants.first { $0.name == "never_reset" })
        let check = try Self.check("HRS/SEN/CW/BV-01-C")
        #expect(check.run(on: .name("Lubdub HRM"), over: try AlteredHost(mutant)).verdict == .fail)
    }

    // MARK: Names

    private static let shortened = named("A long name of a heart rate strap")

    /// Core Specification Supplement 12, Part A, section 1.2.
    @Test func `a peripheral is found by the name that it shortens`() throws {
        let peer = Peer.name(Self.shortened.deviceName)
        #expect(PeripheralScan(for: peer, by: try AlteredHost(Self.shortened), within: .seconds(21)).isFound)
        let outcome = try Self.check("advertising/name_fits").run(on: peer, over: try AlteredHost(Self.shortened))
        #expect(outcome.verdict == .pass, "\(outcome.words)")
    }

    @Test(arguments: ["A long name", "A long name of another", "Lubdub"])
    func `a peripheral with a shortened name is not found by another name`(name: String) throws {
        let scan = PeripheralScan(for: .name(name), by: try AlteredHost(Self.shortened), within: .seconds(21))
        #expect(!scan.isFound && scan.others.count == 1, "\(scan.others)")
    }

    /// Two devices: the first to advertise shortens its name.
    @Test func `a device with the whole name is preferred to one with its beginning`() throws {
        let own = DeviceAddress(0xC0_FF_EE_00_00_77, .random)
        let whole = AdvertisingData.Structure(.completeLocalName, Array(Self.shortened.deviceName.utf8)).octets
        var seen = 0
        let host = try AlteredHost(Self.shortened) { output in
            guard case .report(var report) = output else { return output }
            seen += 1
            guard seen > 2 else { return output }
            report.address = own
            if report.kind == .scanResponse { report.data = whole }
            return .report(report)
        }
        let scan = PeripheralScan(for: .name(Self.shortened.deviceName), by: host, within: .seconds(21))
        #expect(scan.address == own && scan.others.count == 1, "\(scan.others)")
    }

    // MARK: Lubdub's limits

    /// `count` characteristics.
    private static func crowded(_ count: Int) -> Peripheral {
        var peripheral = named("Lubdub HRM")
        let values = (0..<count).map {
            #"{"id": "c\#($0)", "uuid": "2A58", "format": "uint8", "properties": ["read"]}"#
        }
        peripheral.services = [Peripheral.custom("crowd", "1815", values)]
        return peripheral
    }

    @Test(arguments: [(2100, Verdict.skip), (4200, .inconclusive)])
    func `more attributes than Lubdub remembers are not the fault of the peripheral`(
        count: Int, verdict: Verdict
    ) throws {
        let scenario = try Self.crowded(count).scenario()
        let outcome = try Self.check("GATT/SR/GAS/BV-02-C").run(on: 0, in: try World(scenario, seed: 1)).outcome
        #expect(outcome.verdict == verdict, "\(outcome.words)")
        #expect(outcome.reason?.contains("Lubdub discovers at most 4096 attributes") == true)
    }

    // MARK: The peripheral exchanges the MTU

    private static let exchanging: Peripheral = {
        let value = Peripheral.characteristic("2A58", String(repeating: "5a", count: 40), "notify")
        let notified = #"{"period": "1 s", "# + value.dropFirst()
        var peripheral = named("A strap with a long name")
        peripheral.services = [Peripheral.custom("long", "1815", [String(notified)]), Peripheral.heartRate]
        peripheral.link = nil
        return peripheral
    }()

    static let exchangingVerdicts: [(id: String, verdict: Verdict)] = [
        ("gatt/values_fit_default_mtu", .skip), ("gatt/values_fit_small_mtu", .skip), ("GATT/SR/GAN/BV-01-C", .pass),
        ("GATT/SR/GAR/BV-04-C", .skip), ("GATT/SR/GAR/BV-07-C", .skip), ("GATT/SR/GAR/BV-09-C", .pass),
        ("robustness/small_mtu", .pass), ("GATT/SR/GAC/BV-01-C", .pass),
    ]

    /// Either device may exchange it, for both directions.  Core 6.0, Vol 3, Part F, sections 3.2.8 and 3.4.2.
    @Test(arguments: exchangingVerdicts) func `a peripheral may exchange the MTU`(
        id: String, verdict: Verdict
    ) throws {
        let host = try AlteredHost(Self.exchanging, exchangesMTU: true)
        let outcome = try Self.check(id).run(on: .name("A strap with a long name"), over: host, isStrict: true)
        #expect(outcome.verdict == verdict, "\(outcome.words)")
    }

    // MARK: Extended advertising

    /// Its advertising, in one extended advertising event with 26 octets of manufacturer data, and without a scan response.
    private static func extended(_ peripheral: Peripheral, isTruncated: Bool = false) throws -> AlteredHost {
        try AlteredHost(peripheral) { output in
            guard case .report(var report) = output else { return output }
            guard report.kind != .scanResponse else { return nil }
            (report.isExtended, report.isTruncated) = (true, isTruncated)
            report.data += [0x1B, 0xFF] + Array(repeating: 0x5A, count: 26)
            return .report(report)
        }
    }

    @Test(arguments: ["advertising/well_formed", "advertising/flags", "HRP/SEN/HRF/BV-01-C"])
    func `extended advertising may be longer than legacy advertising`(id: String) throws {
        let address = Peer.address(try Peripheral.full.scenario().devices[0].address)
        let outcome = try Self.check(id).run(on: address, over: try Self.extended(.full), isStrict: true)
        #expect(outcome.verdict == .pass, "\(outcome.words)")
    }

    /// The controller reports the beginning if it misses a part.  Core 6.0, Vol 4, Part E, section 7.7.65.13.
    @Test func `the beginning of advertising data is not judged`() throws {
        let address = Peer.address(try Peripheral.full.scenario().devices[0].address)
        let host = try Self.extended(.full, isTruncated: true)
        #expect(try Self.check("advertising/well_formed").run(on: address, over: host).verdict == .inconclusive)
    }

    @Test func `connectable extended advertising has no scan response to wait for`() throws {
        let mutant = try #require(Peripheral.mutants.first { $0.name == "unlisted_service" })
        let address = Peer.address(try mutant.scenario().devices[0].address)
        let outcome = try Self.check("HRP/SEN/HRF/BV-01-C").run(
            on: address, over: try Self.extended(mutant), isStrict: true)
        #expect(outcome.verdict == .fail, "\(outcome.words)")
    }

    // MARK: No trace

    /// The last octets that a check writes to a handle are those that it has read there.
    @Test func `checks restore what they write`() throws {
        for id in ["HTS/SEN/CW/BV-02-C", "HTS/SEN/SP/BI-01-C", "HTS/SEN/SP/BV-01-C"] {
            let host = try AlteredHost(.thermometer)
            let outcome = try Self.check(id).run(on: .name("Lubdub HRM"), over: host, isStrict: true)
            #expect(outcome.verdict == .pass, "\(outcome.words)")
            #expect(host.written.last?.octets == [2, 0], "\(id)")  // its interval of 2 s
        }
        let host = try AlteredHost(.runner)
        let outcome = try Self.check("running/sets_cumulative_value").run(on: .name("Lubdub HRM"), over: host)
        #expect(outcome.verdict == .pass, "\(outcome.words)")
        let distances = host.written.map(\.octets).filter { $0.first == 0x01 && $0.count == 5 }
        #expect(distances.count == 2 && distances.last?.suffix(2) == [0, 0], "\(distances)")
    }

    /// A server that accepts every write keeps its Device Name.
    @Test(arguments: ["GATT/SR/GAW/BI-03-C", "GATT/SR/GAW/BI-08-C"])
    func `a write that must be rejected would change nothing`(id: String) throws {
        let host = try AlteredHost(.full)
        let outcome = try Self.check(id).run(on: .name("Lubdub HRM"), over: host)
        #expect(outcome.verdict == .pass, "\(outcome.words)")
        #expect(host.written.allSatisfy { $0.octets == Array("Lubdub HRM".utf8) })
        #expect(!host.written.isEmpty)
    }
}
