import Arguments
import Bluetooth
import CLinux
import Checks
import DBus
import Expectations
import Glibc
import Simulation
import Synchronization
import TestBus
import Testing

@testable import CommandLineTool

/// Checks above a false bluetoothd with a strap near it.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct BlueZRadioTests {
    static let peer = Peer("strap")

    /// Holds a loop with a bluetoothd, and with a radio above it.
    private static func examine(
        isConnected: Bool = false, _ reactions: [String: FalseRadio.Reaction] = [:],
        _ signals: Signals = Signals([]),
        _ body: (_ radio: BlueZRadio, _ bluez: FalseRadio) throws -> Void
    ) throws {
        let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
        defer { bus.stop() }
        try loop.hold {
            let reactions = strap().merging(reactions) { $1 }
            let bluez = try made(on: loop) {
                try await FalseRadio(on: bus, loop, isPowered: false, isConnected: isConnected, reactions)
            }
            let radio = try BlueZRadio("hci0", RealTime(loop, signals), bus: bus.address)
            try body(radio, bluez)
            radio.close()
        }
    }

    private static func made<EntityReference: Sendable>(
        on loop: EventLoop, _ make: @escaping @Sendable () async throws -> EntityReference
    ) throws -> EntityReference {
        let made = Heard<Result<EntityReference, any Error>>()
        _ = loop.start {
            do { made.add(.success(try await make())) } catch { made.add(.failure(error)) }
        }
        while made.all.isEmpty { _ = loop.turn(until: loop.now.advanced(by: .seconds(1))) }
        return try made.all[0].get()
    }

    /// What bluetoothd does with a strap that is heard and keeps to its specification.
    private static func strap() -> [String: FalseRadio.Reaction] {
        let configuration = Mutex<UInt8>(0)
        return [
            "StartDiscovery": { radio, call in
                call.answer()
                radio.hear(-40)
            },
            "Disconnect": { radio, call in
                configuration.withLock { $0 = 0 }
                leave(radio)
                call.answer()
            },
            "StartNotify": { radio, call in
                configuration.withLock { $0 = 1 }
                call.answer()
                let loop = radio.loop
                loop.call(at: loop.now.advanced(by: .milliseconds(50))) {
                    radio.notify(FalseRadio.measurement, [0x00, 72])
                }
            },
            "StopNotify": { _, call in
                let before = configuration.withLock { value in
                    defer { value = 0 }
                    return value
                }
                if before == 0 { return call.refuse(Refusal("org.bluez.Error.Failed", "No notify session started")) }
                call.answer()
            },
            "ReadValue": { _, call in
                if call.path == FalseRadio.measurement {
                    return call.refuse(Refusal("org.bluez.Error.NotPermitted", "Read not permitted"))
                }
                call.answer([.octets([configuration.withLock(\.self), 0])])
            },
            "WriteValue": { _, call in
                switch call.arguments[0].octets {
                case [1]: call.answer()
                case let octets? where octets.count == 1:
                    call.refuse(Refusal("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80"))
                default: call.refuse(Refusal("org.bluez.Error.InvalidArguments", "Invalid Length"))
                }
            },
        ]
    }

    private static func leave(_ radio: FalseRadio) {
        radio.change(
            FalseRadio.strap, "org.bluez.Device1",
            ["Connected": .boolean(false), "ServicesResolved": .boolean(false)], without: ["RSSI"])
    }

    private static func ask(_ id: String, by radio: BlueZRadio) throws -> Check.Outcome {
        try #require(Check.all.first { $0.id == id }).run(on: peer, over: radio, isStrict: true)
    }

    // MARK: What comes of a check

    struct Case: Sendable {
        let id: String
        var reactions: [String: FalseRadio.Reaction] = [:]
        let verdict: Verdict
        /// What was seen, or the reason.
        var words: String?
    }

    private static func refusing(_ name: ErrorName, _ message: String) -> FalseRadio.Reaction {
        { _, call in call.refuse(Refusal(name, message)) }
    }

    private static let cases = [
        Case(id: "HRS/SEN/SGGIT/SER/BV-01-C", verdict: .pass),
        Case(id: "HRS/SEN/SGGIT/CHA/BV-01-C", verdict: .fail, words: "0x12 (Read, Notify)"),
        Case(id: "HRS/SEN/CON/BV-01-C", verdict: .pass),
        Case(
            id: "HRS/SEN/CON/BV-01-C", reactions: ["ReadValue": { _, call in call.answer([.octets([0, 0])]) }],
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
                "the configuration of Heart Rate Measurement requires a paired client (insufficient_authentication (0x05)); "
                + "not supported yet: needs pairing"),
        Case(
            id: "HRS/SEN/CN/BV-01-C", verdict: .skip, words: "bluetoothd tells no value that nobody is subscribed to"),
        Case(
            id: "HRS/SEN/CN/BV-01-C", reactions: ["StartNotify": { _, call in call.answer() }], verdict: .fail,
            words: "none"),
        Case(id: "HRS/SEN/CW/BI-01-C", verdict: .pass),
        Case(
            id: "HRS/SEN/CW/BI-01-C", reactions: ["WriteValue": { _, call in call.answer() }], verdict: .fail,
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
            words: "a write to 0x000D is not possible: bluetoothd lets nobody write a configuration"),
        Case(
            id: "advertising/flags", verdict: .skip,
            words: "bluetoothd tells what is advertised and what it knows otherwise as one"),
        Case(
            id: "GATT/SR/GAC/BV-01-C", verdict: .skip,
            words: "bluetoothd exchanges the MTU and discovers everything by itself"),
        Case(
            id: "GATT/SR/UNS/BI-01-C", verdict: .skip,
            words: "bluetoothd keeps Generic Access and Generic Attribute to itself"),
        Case(id: "GATT/SR/GAW/BV-11-C", verdict: .skip, words: "bluetoothd takes no PDUs from others"),
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
                    call.refuse(Refusal("org.bluez.Error.NotConnected", "Not Connected"))
                }
            ], verdict: .inconclusive,
            words: "the connection ended during a write of 01 to Heart Rate Control Point: unspecified_error"),
    ]

    @Test(arguments: cases.indices) func `A check says what came of it, or why it cannot be asked`(index: Int) throws {
        let given = Self.cases[index]
        try Self.examine(given.reactions) { radio, _ in
            let outcome = try Self.ask(given.id, by: radio)
            #expect(outcome.verdict == given.verdict, "\(given.id): \(outcome.reason ?? outcome.finding?.seen ?? "")")
            #expect(outcome.finding?.seen ?? outcome.reason == given.words, "\(given.id)")
            #expect(!radio.isOver)
        }
    }

    @Test func `Who is paired is no stranger`() throws {
        try Self.examine { radio, bluez in
            bluez.change(FalseRadio.strap, "org.bluez.Device1", ["Paired": .boolean(true)])
            let outcome = try Self.ask("reconnection/configuration_is_cleared", by: radio)
            #expect((outcome.verdict, outcome.reason) == (.skip, "this machine is paired with it"))
        }
    }

    // MARK: What it leaves behind

    @Test func `All is left as it was found`() throws {
        try Self.examine { radio, bluez in
            _ = try Self.ask("HRS/SEN/CON/BV-01-C", by: radio)
            #expect(bluez.property("Powered") == .boolean(true))
            radio.close()
            #expect(bluez.property("Powered") == .boolean(false))
            #expect(bluez.property("Connected", at: FalseRadio.strap) == .boolean(false))
            #expect(Array(bluez.calls.suffix(2)) == ["Disconnect", "Powered"])
            // It was known before.
            #expect(!bluez.calls.contains("RemoveDevice"))
        }
    }

    /// What signalfd(2) writes, where one comes.
    private static func signal(_ number: Int32, into descriptor: CInt) {
        var info = signalfd_siginfo()
        info.ssi_signo = UInt32(number)
        _ = unsafe write(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
    }

    @Test func `A signal ends a wait at once, and the link in good order`() throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let descriptor = ends[1]
        let reactions: [String: FalseRadio.Reaction] = [
            "StartNotify": { _, call in
                call.answer()
                Self.signal(SIGINT, into: descriptor)
            }
        ]
        try Self.examine(reactions, Signals(passedOnTo: ends[0])) { radio, bluez in
            let before = ContinuousClock.now
            _ = try Self.ask("HRS/SEN/CN/BV-01-C", by: radio)
            #expect(radio.isOver)
            radio.close()
            #expect(before.duration(to: .now) < .seconds(5))
            #expect(radio.time.reason?.code == .signal(SIGINT))
            #expect(bluez.property("Connected", at: FalseRadio.strap) == .boolean(false))
            #expect(bluez.property("Powered") == .boolean(false))
        }
    }

    // MARK: A bluetoothd that is no help

    @Test func `Without a bus, or without bluetoothd, it says what is missing`() throws {
        let loop = EventLoop(pace: .real())
        try loop.hold {
            let nowhere = BusAddress.at("unix:path=/nonexistent/bus")
            let failure = #expect(throws: CommandFailure.self) {
                _ = try BlueZRadio(nil, RealTime(loop, Signals([])), bus: nowhere)
            }
            #expect(failure?.code == .environment)
            #expect(failure?.message.contains("install and start it") == true)
            let bus = try PrivateBus()
            let other = #expect(throws: CommandFailure.self) {
                _ = try BlueZRadio(nil, RealTime(loop, Signals([])), bus: bus.address)
            }
            #expect(other?.code == .environment)
            #expect(other?.message.hasPrefix("lubdub: ") == true)
            #expect(other?.message.contains("bluetoothd") == true)
        }
    }

    @Test func `Who is connected to another program is told from who is not`() throws {
        for isConnected in [false, true] {
            try Self.examine(isConnected: isConnected) { radio, bluez in
                let lookout = Lookout(for: Self.peer, by: radio, within: .seconds(5))
                #expect(lookout.address == FalseRadio.address)
                #expect(radio.isTaken(FalseRadio.address) == isConnected)
                #expect(!radio.isTaken(DeviceAddress(1, .random)))
                guard isConnected else { return }
                let outcome = try Self.ask("HRS/SEN/SGGIT/SER/BV-01-C", by: radio)
                #expect(outcome.verdict == .inconclusive)
                #expect(outcome.reason?.hasSuffix("another program of this machine is connected to it") == true)
                #expect(!bluez.calls.contains("Connect") && !bluez.calls.contains("Disconnect"))
            }
        }
    }

    @Test func `A device that another program has is not checked`() throws {
        try Self.examine(isConnected: true) { radio, bluez in
            let invocation = try checkGrammar.parse(["--quiet"])
            let examination = RealExamination(
                checks: Check.all, peer: Self.peer, isStrict: false, wording: try CheckFormatter(invocation),
                reports: try ReportFiles(invocation), words: [], patience: .seconds(5))
            let failure = #expect(throws: CommandFailure.self) {
                _ = try examination.play(radio, RecentPackets(of: 0))
            }
            #expect(failure?.code == .environment)
            #expect(
                failure?.message == "lubdub: \"strap\" is connected to another program of this machine, and each check "
                    + "needs a connection of its own: end that one, as by bluetoothctl disconnect C0:FF:EE:00:00:01")
            #expect(!bluez.calls.contains("Disconnect"))
        }
    }

    static let doors: [(words: [String], isOpen: Bool)] = [
        (["--radio", "bluez"], true), (["--radio", "bluez:hci1"], true), (["--radio", "bluez:hci0,hci1"], false),
        (["--radio", "bluez:"], false), (["--radio", "bluez", "--trace", "a.btsnoop"], false),
        (["--radio", "bluez", "--controller", "tcp:127.0.0.1:0"], false), (["--radio", "bluez", "--seed", "1"], false),
    ]

    @Test(arguments: doors) func `A door is one adapter, without what only others have`(
        words: [String], isOpen: Bool
    ) throws {
        let invocation = try checkGrammar.parse(words)
        do throws(CommandFailure) {
            #expect(try RealDoor(invocation) != nil)
            #expect(isOpen)
        } catch {
            #expect(!isOpen)
            #expect(error.code == .usage)
        }
    }

    /// How bluetoothd goes away in the middle of a check.
    enum Departure: CaseIterable {
        case name, bus, adapter

        var words: String {
            switch self {
            case .name: "bluetoothd has gone away"
            case .bus: "the bus has gone away"
            case .adapter: "hci0 is not there any more"
            }
        }
    }

    @Test(arguments: Departure.allCases) func `A bluetoothd that goes away fails nobody`(_ departure: Departure) throws
    {
        let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
        defer { bus.stop() }  // what waits on the loop for ever still has it
        try loop.hold {
            let reaction: FalseRadio.Reaction = { radio, call in
                call.answer()
                switch departure {
                case .name: _ = loop.start { await radio.connection.close() }
                case .bus: bus.stop()
                case .adapter:
                    radio.say(
                        "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                        [.path(FalseRadio.adapter), .strings(["org.bluez.Adapter1"])])
                }
            }
            let reactions = Self.strap().merging(["StartNotify": reaction]) { $1 }
            let bluez = try Self.made(on: loop) { try await FalseRadio(on: bus, loop, reactions) }
            let radio = try BlueZRadio(nil, RealTime(loop, Signals([])), bus: bus.address)
            _ = try Self.ask("HRS/SEN/CN/BV-01-C", by: radio)
            #expect(radio.isOver)
            guard case .failure(let why)? = radio.time.reason else {
                Issue.record("\(departure): \(String(describing: radio.time.reason))")
                return
            }
            #expect(why == departure.words)
            radio.close()
            withExtendedLifetime(bluez) {}
        }
    }
}
