import Basics
import Bluetooth
import CLubdubLinux
import CheckCatalogue
import Checks
import Conformance
import DBus
import Expectations
import FoundationEssentials
import Glibc
import LEHost
import Linux
import Synchronization
import TestBus
import Testing

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport

/// Checks of a strap through a fake bluetoothd.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct RealPeripheralTests {
    static let peer = Peer("strap")

    /// Calls `body` on the thread of a loop, with a bluetoothd and a host above it.
    private static func withHost(
        isConnected: Bool = false, _ reactions: [String: FakeRadio.Reaction] = [:],
        _ signals: Signals = Signals([]),
        _ body: (_ host: RealTimeHost, _ bluez: FakeRadio) throws -> Void
    ) throws {
        let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
        defer { bus.stop() }
        try loop.withCurrentThread {
            let reactions = strap().merging(reactions) { $1 }
            let bluez = try made(on: loop) {
                try await FakeRadio(on: bus, loop, isPowered: false, isConnected: isConnected, reactions)
            }
            let host = try #require(try RealTimeHost.bluez("hci0", RealTime(loop, signals), bus: bus.address))
            try body(host, bluez)
            host.close()
        }
    }

    @Test func `bluetoothd refuses each fault, with the reason`() throws {
        try Self.withHost { host, _ in
            for (fault, reason) in [
                (.overhear(true), "bluetoothd sends no PDUs for other programs"),
                (.confirmIndications(false), "bluetoothd confirms each indication by itself"),
                (.divertSecurity(true), "bluetoothd pairs by itself"),
            ] as [(Host.Fault, String)] {
                #expect(throws: UnsupportedFault(reason)) { try host.inject(fault) }
            }
        }
    }

    private static func made<Value: Sendable>(
        on loop: EventLoop, _ make: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let made = Recorder<Result<Value, any Error>>()
        _ = loop.start {
            do { made.add(.success(try await make())) } catch { made.add(.failure(error)) }
        }
        while made.all.isEmpty { _ = loop.runNextEvents(until: loop.now.advanced(by: .seconds(1))) }
        return try made.all[0].get()
    }

    /// The reactions of bluetoothd near a strap without faults.
    private static func strap() -> [String: FakeRadio.Reaction] {
        let configuration = Mutex<UInt8>(0)
        return [
            "StartDiscovery": { radio, call in
                call.reply()
                radio.hear(-40)
            },
            "Disconnect": { radio, call in
                configuration.withLock { $0 = 0 }
                leave(radio)
                call.reply()
            },
            "StartNotify": { radio, call in
                configuration.withLock { $0 = 1 }
                call.reply()
                let loop = radio.loop
                loop.call(at: loop.now.advanced(by: .milliseconds(50))) {
                    radio.notify(FakeRadio.measurement, [0x00, 72])
                }
            },
            "StopNotify": { _, call in
                let before = configuration.withLock { value in
                    defer { value = 0 }
                    return value
                }
                if before == 0 {
                    return call.fail(with: MethodError("org.bluez.Error.Failed", "No notify session started"))
                }
                call.reply()
            },
            "ReadValue": { _, call in
                if call.path == FakeRadio.measurement {
                    return call.fail(with: MethodError("org.bluez.Error.NotPermitted", "Read not permitted"))
                }
                call.reply([.octets([configuration.withLock(\.self), 0])])
            },
            "WriteValue": { _, call in
                switch call.arguments[0].octets {
                case [1]: call.reply()
                case let octets? where octets.count == 1:
                    call.fail(with: MethodError("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80"))
                default: call.fail(with: MethodError("org.bluez.Error.InvalidArguments", "Invalid Length"))
                }
            },
        ]
    }

    private static func leave(_ radio: FakeRadio) {
        radio.change(
            FakeRadio.strap, "org.bluez.Device1",
            ["Connected": .boolean(false), "ServicesResolved": .boolean(false)], without: ["RSSI"])
    }

    private static func ask(_ id: String, by host: RealTimeHost) throws -> Check.Outcome {
        var knowledge = Knowledge()
        return try #require(Check.all.first { $0.id == id }).run(
            on: peer, over: host, isStrict: true, knowing: &knowledge)
    }

    // MARK: Outcomes

    struct Case: Sendable {
        let id: String
        var reactions: [String: FakeRadio.Reaction] = [:]
        let verdict: Verdict
        /// The value found, or the reason.
        var words: String?
    }

    private static func refusing(_ name: ErrorName, _ message: String) -> FakeRadio.Reaction {
        { _, call in call.fail(with: MethodError(name, message)) }
    }

    private static let cases = [
        Case(id: "HRS/SEN/SGGIT/SER/BV-01-C", verdict: .pass),
        Case(id: "HRS/SEN/SGGIT/CHA/BV-01-C", verdict: .fail, words: "0x12 (Read, Notify)"),
        Case(id: "HRS/SEN/CON/BV-01-C", verdict: .pass),
        Case(
            id: "HRS/SEN/CON/BV-01-C", reactions: ["ReadValue": { _, call in call.reply([.octets([0, 0])]) }],
            verdict: .fail, words: "00 00"),
        Case(
            id: "HRS/SEN/CON/BV-01-C", reactions: ["StartNotify": refusing("org.bluez.Error.InProgress", "Busy")],
            verdict: .skip,
            words:
                "a write of 0x0001 to the configuration of Heart Rate Measurement is not possible: bluetoothd: "
                + "org.bluez.Error.InProgress: Busy"),
        Case(
            id: "HRS/SEN/CON/BV-01-C",
            reactions: ["StartNotify": refusing("org.bluez.Error.NotPermitted", "Not paired")],
            verdict: .skip,
            words:
                "the configuration of Heart Rate Measurement requires more security (insufficient_authentication (0x05)); "
                + "bluetoothd pairs by itself"),
        Case(
            id: "HRS/SEN/CN/BV-01-C", verdict: .skip, words: "bluetoothd reports no value without a subscription"),
        Case(
            id: "HRS/SEN/CN/BV-01-C", reactions: ["StartNotify": { _, call in call.reply() }], verdict: .inconclusive,
            words: "no Heart Rate Measurement within 10 s of the subscription (use the sensor, such as by wearing it, "
                + "and run the check again)"),
        Case(id: "HRS/SEN/CW/BI-01-C", verdict: .pass),
        Case(
            id: "HRS/SEN/CW/BI-01-C", reactions: ["WriteValue": { _, call in call.reply() }], verdict: .fail,
            words: "it was accepted"),
        Case(id: "heart_rate/control_point_length", verdict: .pass),
        Case(
            id: "heart_rate/control_point_length",
            reactions: ["WriteValue": refusing("org.bluez.Error.Failed", "Why not")],
            verdict: .skip,
            words:
                "a write of 01 to Heart Rate Control Point is not possible: bluetoothd: org.bluez.Error.Failed: Why not"
        ),
        Case(id: "reconnection/configuration_is_cleared", verdict: .pass),
        Case(id: "reconnection/advertises_again", verdict: .pass),
        Case(
            id: "GATT/SR/GAW/BV-08-C", verdict: .skip,
            words: "a write to 0x000D is not possible: bluetoothd does not allow writing a Client Characteristic "
                + "Configuration; subscribe instead"),
        Case(
            id: "advertising/flags", verdict: .skip,
            words: "bluetoothd mixes what is advertised with what it knows from elsewhere"),
        Case(
            id: "GATT/SR/GAC/BV-01-C", verdict: .skip,
            words: "bluetoothd exchanges the MTU and discovers all services by itself"),
        Case(
            id: "GATT/SR/UNS/BI-01-C", verdict: .skip,
            words: "bluetoothd hides Generic Access and Generic Attribute"),
        Case(id: "GATT/SR/GAW/BV-11-C", verdict: .skip, words: "bluetoothd sends no PDUs for other programs"),
        Case(
            id: "gatt/one_indication_at_a_time", verdict: .skip, words: "bluetoothd confirms each indication by itself"),
        Case(
            id: "HRS/SEN/SGGIT/SER/BV-01-C",
            reactions: ["Connect": refusing("org.bluez.Error.Failed", "le-connection-abort-by-local")],
            verdict: .inconclusive,
            words: "could not connect to \"strap\": bluetoothd: org.bluez.Error.Failed: "
                + "le-connection-abort-by-local"),
        Case(
            id: "HRS/SEN/CW/BI-01-C",
            reactions: [
                "WriteValue": { radio, call in
                    leave(radio)
                    call.fail(with: MethodError("org.bluez.Error.NotConnected", "Not Connected"))
                }
            ], verdict: .inconclusive,
            words: "the connection ended during a write of 01 to Heart Rate Control Point: unspecified_error"),
    ]

    @Test(arguments: cases.indices) func `A check gives its outcome, or why it cannot run`(index: Int) throws {
        let given = Self.cases[index]
        try Self.withHost(given.reactions) { host, _ in
            let outcome = try Self.ask(given.id, by: host)
            #expect(outcome.verdict == given.verdict, "\(given.id): \(outcome.reason ?? outcome.finding?.seen ?? "")")
            #expect(outcome.finding?.seen ?? outcome.reason == given.words, "\(given.id)")
            #expect(!host.isOver)
        }
    }

    @Test func `A paired peripheral is skipped where a check needs no bond`() throws {
        try Self.withHost { host, bluez in
            bluez.change(FakeRadio.strap, "org.bluez.Device1", ["Paired": .boolean(true)])
            let outcome = try Self.ask("reconnection/configuration_is_cleared", by: host)
            #expect((outcome.verdict, outcome.reason) == (.skip, "this machine is paired with the peripheral"))
        }
    }

    // MARK: Cleaning up

    @Test func `The adapter is restored`() throws {
        try Self.withHost { host, bluez in
            _ = try Self.ask("HRS/SEN/CON/BV-01-C", by: host)
            #expect(bluez.property("Powered") == .boolean(true))
            host.close()
            #expect(bluez.property("Powered") == .boolean(false))
            #expect(bluez.property("Connected", at: FakeRadio.strap) == .boolean(false))
            #expect(Array(bluez.calls.suffix(2)) == ["Disconnect", "Powered"])
            // bluetoothd knew it before.
            #expect(!bluez.calls.contains("RemoveDevice"))
        }
    }

    /// Writes a signal as signalfd(2) does.
    private static func signal(_ number: Int32, into descriptor: CInt) {
        var info = signalfd_siginfo()
        info.ssi_signo = UInt32(number)
        _ = unsafe write(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
    }

    @Test func `A signal ends a wait at once, and then the link`() throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let descriptor = ends[1]
        let reactions: [String: FakeRadio.Reaction] = [
            "StartNotify": { _, call in
                call.reply()
                Self.signal(SIGINT, into: descriptor)
            }
        ]
        try Self.withHost(reactions, Signals(passedOnTo: ends[0])) { host, bluez in
            let before = ContinuousClock.now
            _ = try Self.ask("HRS/SEN/CN/BV-01-C", by: host)
            #expect(host.isOver)
            host.close()
            #expect(before.duration(to: .now) < .seconds(5))
            #expect(host.time.reason?.code == .signal(SIGINT))
            #expect(bluez.property("Connected", at: FakeRadio.strap) == .boolean(false))
            #expect(bluez.property("Powered") == .boolean(false))
        }
    }

    // MARK: Failures of bluetoothd

    @Test func `The message names a missing bus or a missing bluetoothd`() throws {
        let loop = EventLoop(pace: .real())
        try loop.withCurrentThread {
            let nowhere = BusAddress.at("unix:path=/nonexistent/bus")
            let failure = #expect(throws: Obstacle.self) {
                _ = try RealTimeHost.bluez(nil, RealTime(loop, Signals([])), bus: nowhere)
            }
            #expect(failure?.code == .environment)
            #expect(failure?.description.contains("install and start it") == true)
            let bus = try PrivateBus()
            let other = #expect(throws: Obstacle.self) {
                _ = try RealTimeHost.bluez(nil, RealTime(loop, Signals([])), bus: bus.address)
            }
            #expect(other?.code == .environment)
            #expect(other?.description.contains("bluetoothd") == true)
        }
    }

    @Test func `A limit leaves checks out, and says which`() throws {
        let file = "\(FileManager.default.temporaryDirectory.path)/lubdub-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let ids = [
            "HRS/SEN/SGGIT/SER/BV-01-C", "HRS/SEN/CON/BV-01-C", "HRS/SEN/CW/BI-01-C", "GATT/SR/UNS/BI-01-C",
        ]
        nonisolated(unsafe) var time: RealTime?
        try Self.withHost(["StartNotify": { _, _ in unsafe time?.end(.time) }]) { host, _ in
            unsafe time = host.time
            let invocation = try checkGrammar.parse(["--quiet", "--report", file])
            var test = RealPeripheralTest(
                checks: Check.all.filter { ids.contains($0.id) }, peer: Self.peer, isStrict: false,
                printer: try CheckPrinter(invocation), baseline: nil, reports: try ReportFiles(invocation),
                radio: "bluez", options: [], timeout: .seconds(5), limit: .seconds(90))
            #expect(try test.run(host, RecentPackets(of: 0)) == .failure)
        }
        let outcomes = try JSONReport.read(files: [file])[0].cases.map { entry in
            "\(entry.id): \(entry.outcome.verdict), \(entry.outcome.findings.first?.why?.seen ?? "")"
        }
        #expect(
            outcomes.sorted() == [
                "GATT/SR/UNS/BI-01-C: skip, bluetoothd hides Generic Access and Generic Attribute",
                "HRS/SEN/CON/BV-01-C: inconclusive, not judged: it was not finished within 90 s (--for)",
                "HRS/SEN/CW/BI-01-C: inconclusive, not judged: it did not run within 90 s (--for)",
                "HRS/SEN/SGGIT/SER/BV-01-C: pass, ",
            ])
    }

    @Test func `After the end, only time that passed counts`() throws {
        let loop = EventLoop(pace: .real())
        loop.withCurrentThread {
            let time = RealTime(loop, Signals([]), limit: .milliseconds(30))
            let begin = time.now
            #expect(!time.play(until: begin.advanced(by: .seconds(300))) { false })
            #expect(time.isUp)
            _ = time.play(until: time.now.advanced(by: .seconds(5))) { false }
            #expect(begin.duration(to: time.now) == .seconds(305))
            let passed = time.passed(since: begin)
            #expect(passed >= .milliseconds(30) && passed < .seconds(300))
        }
    }

    @Test func `A connection of another program is detected`() throws {
        for isConnected in [false, true] {
            try Self.withHost(isConnected: isConnected) { host, bluez in
                let scan = PeripheralScan(for: Self.peer, by: host, within: .seconds(5))
                #expect(scan.address == FakeRadio.address)
                #expect(host.isTaken(FakeRadio.address) == isConnected)
                #expect(!host.isTaken(DeviceAddress(1, .random)))
                guard isConnected else { return }
                let outcome = try Self.ask("HRS/SEN/SGGIT/SER/BV-01-C", by: host)
                #expect(outcome.verdict == .inconclusive)
                #expect(outcome.reason?.hasSuffix("another program on this machine is connected to it") == true)
                #expect(!bluez.calls.contains("Connect") && !bluez.calls.contains("Disconnect"))
            }
        }
    }

    @Test func `A peripheral that is connected to another program is not checked`() throws {
        try Self.withHost(isConnected: true) { host, bluez in
            let invocation = try checkGrammar.parse(["--quiet"])
            var test = RealPeripheralTest(
                checks: Check.all, peer: Self.peer, isStrict: false, printer: try CheckPrinter(invocation),
                baseline: nil, reports: try ReportFiles(invocation), radio: "bluez", options: [], timeout: .seconds(5),
                limit: nil)
            let failure = #expect(throws: Obstacle.self) {
                _ = try test.run(host, RecentPackets(of: 0))
            }
            #expect(failure?.code == .environment)
            #expect(
                failure?.description
                    == "another program of this machine is connected to \"strap\", and checks need their "
                    + "own connections: disconnect it, for example with bluetoothctl disconnect C0:FF:EE:00:00:01")
            #expect(!bluez.calls.contains("Disconnect"))
        }
    }

    static let endpoints: [(words: [String], isOpen: Bool)] = [
        (["--radio", "bluez"], true), (["--radio", "bluez:hci1"], true), (["--radio", "bluez:hci0,hci1"], false),
        (["--radio", "bluez:"], false), (["--radio", "bluez", "--trace", "a.btsnoop"], false),
        (["--radio", "bluez", "--controller", "tcp:127.0.0.1:0"], false), (["--radio", "bluez", "--seed", "1"], false),
    ]

    @Test(arguments: endpoints) func `bluez takes one adapter, and no options of other radios`(
        words: [String], isOpen: Bool
    ) throws {
        let invocation = try checkGrammar.parse(words)
        do throws(Obstacle) {
            #expect(try PeripheralEndpoint(invocation) != nil)
            #expect(isOpen)
        } catch {
            #expect(!isOpen)
            #expect(error.code == .usage)
        }
    }

    static let programs: [(words: [String], isOpen: Bool)] = [
        (["--peripheral", "strap"], true), (["--system", "bluez"], true),
        (["--system", "bluez:unix:/tmp/a.bus", "--peripheral", "strap"], true),
        (["--controller", "tcp:127.0.0.1:0", "--peripheral", "strap"], true),
        (["--radio", "virtual", "--peripheral", "strap"], true), (["--peripheral", " "], false),
        (["--radio", "bluez", "--peripheral", "strap"], false), (["--radio", "bluez", "--system", "bluez"], false),
        (["--controller", "tcp:127.0.0.1:0", "--system", "bluez"], false), (["--system", "dbus"], false),
        (["a.json", "--peripheral", "strap"], false), (["a.json", "--system", "bluez"], false),
    ]

    @Test(arguments: programs) func `A program's peripheral is at a virtual controller, or a played bluetoothd`(
        words: [String], isOpen: Bool
    ) throws {
        let invocation = try checkGrammar.parse(words)
        do throws(Obstacle) {
            #expect(try PeripheralEndpoint(invocation) != nil)
            #expect(isOpen)
        } catch {
            #expect(!isOpen)
            #expect(error.code == .usage)
        }
    }

    /// How bluetoothd goes away during a check.
    enum Departure: CaseIterable {
        case name, bus, adapter

        var words: String {
            switch self {
            case .name: "bluetoothd has stopped"
            case .bus: "the bus has gone away"
            case .adapter: "hci0 was removed"
            }
        }
    }

    @Test(arguments: Departure.allCases) func `No check fails when bluetoothd goes away`(_ departure: Departure) throws
    {
        let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
        defer { bus.stop() }  // a task that never ends still has it
        try loop.withCurrentThread {
            let reaction: FakeRadio.Reaction = { radio, call in
                call.reply()
                switch departure {
                case .name: _ = loop.start { await radio.connection.close() }
                case .bus: bus.stop()
                case .adapter:
                    radio.say(
                        "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                        [.path(FakeRadio.adapter), .strings(["org.bluez.Adapter1"])])
                }
            }
            let reactions = Self.strap().merging(["StartNotify": reaction]) { $1 }
            let bluez = try Self.made(on: loop) { try await FakeRadio(on: bus, loop, reactions) }
            let host = try #require(try RealTimeHost.bluez(nil, RealTime(loop, Signals([])), bus: bus.address))
            _ = try Self.ask("HRS/SEN/CN/BV-01-C", by: host)
            #expect(host.isOver)
            guard case .failure(let why)? = host.time.reason else {
                Issue.record("\(departure): \(String(describing: host.time.reason))")
                return
            }
            #expect(why == "bluez: \(departure.words)")
            host.close()
            withExtendedLifetime(bluez) {}
        }
    }
}
