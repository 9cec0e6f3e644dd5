import Basics
import Bluetooth
import Characteristics
import Clients
import Drivers
import ScenarioLanguage
import ScenarioModel
import Services
import Testing

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport

@Suite struct OptionTests {
    private func invocation(_ words: String...) throws -> Invocation { try serveGrammar.parse(words + ["a.json"]) }

    @Test(
        arguments: [
            ("1", .real(1)), ("0.5", .real(0.5)), ("1000", .real(1000)), ("max", .max), ("0", nil), ("-1", nil),
            ("1001", nil), ("inf", nil), ("nan", nil), ("1e300", nil), ("fast", nil), ("", nil), ("MAX", nil),
        ] as [(String, Speed?)])
    func `A speed is a number that time can be multiplied with, or max`(text: String, speed: Speed?) {
        #expect(Speed(text) == speed)
    }

    @Test(arguments: [
        ("bluez", "bluez"), ("bluez:hci1", "bluez:hci1"), ("hci:tcp:127.0.0.1:6402", "tcp:127.0.0.1:6402"),
        ("hci:unix:a.hci", "unix:a.hci"), ("bluez:", nil), ("bluez:hci0,hci1", nil), ("bluez:usb0", nil),
        ("bluez:hci", nil), ("blue", nil), ("virtual", nil), ("hci:tcp:nowhere", nil), ("", nil),
    ])
    func `A central uses one adapter, or one controller`(text: String, radio wanted: String?) throws {
        let invocation = try monitorGrammar.parse(["--radio", text])
        if let wanted {
            #expect(try radio(invocation).description == wanted)
        } else {
            let failure = #expect(throws: Obstacle.self) { try radio(invocation) }
            #expect(failure?.code == .usage)
        }
    }

    @Test(arguments: [
        ("0", 0), ("9223372036854775807", UInt64(Int.max)), ("9223372036854775808", nil),
        ("18446744073709551616", nil), ("-1", nil), ("1.5", nil), ("", nil), ("any", nil),
    ])
    func `A seed is one that a scenario can have`(text: String, seed wanted: UInt64?) throws {
        let invocation = try invocation("--seed=\(text)")
        if let wanted {
            #expect(try RunPlan.seed(invocation) == wanted)
        } else {
            let failure = #expect(throws: Obstacle.self) { try RunPlan.seed(invocation) }
            #expect(failure?.code == .usage)
        }
    }

    @Test func `Output is quiet, normal or verbose, and not two of them`() throws {
        #expect(try Verbosity(invocation()) == .normal)
        #expect(try Verbosity(invocation("--quiet")) == .quiet)
        #expect(try Verbosity(invocation("--verbose")) == .verbose)
        let failure = #expect(throws: Obstacle.self) { try Verbosity(invocation("--quiet", "--verbose")) }
        #expect(failure?.code == .usage)
    }

    @Test(arguments: [(#", "target": "far""#, 2), (#", "target": "near""#, 1), ("", 1)])
    func `The built-in client connects to the target, or to the strongest device`(target: String, device: UInt64) throws
    {
        let straps = [("near", 1), ("far", 2)].map { id, number in
            """
            {"id": "\(id)", "name": "\(id)", "address": "C0:FF:EE:00:00:0\(number)/random", "distance": "\(number * 4) m",
             "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate", "value": 6\(number)}]}
            """
        }
        let text = """
            {"lubdub": 1, "name": "Two", "limit": "10 s", "devices": [\(straps.joined(separator: ","))]\(target)}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        var clientRun = try BuiltInClientRun(RunPlan(try #require(reading.scenario), seed: 1))
        var peers: Set<DeviceAddress?> = []
        clientRun.play({ _, update in
            if update.content == .state(.connected) { peers.insert(update.peer?.address) }
        })
        #expect(peers == [DeviceAddress(0xC0FF_EE00_0000 + device, .random)])
        #expect(clientRun.measurements > 5)
    }

    @Test(arguments: [
        ["--events", "a", "--trace", "a"], ["--trace", "-"], ["--seed", "seven"], ["--for", "soon"],
        ["--speed", "0"],
    ])
    func `An option that cannot be meant so is refused`(words: [String]) throws {
        let failure = #expect(throws: Obstacle.self) {
            try RunPlan(.empty, "a.json", try serveGrammar.parse(words + ["a.json"]))
        }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains(words.last ?? "") == true)
    }

    @Test func `The command line overrides the scenario`() throws {
        let configuration = try RunPlan(
            .empty, "a.json", invocation("--seed", "7", "--for", "3 s", "--speed", "2", "--keep", "dir"))
        #expect(configuration.seed == 7)
        #expect(configuration.scenario.limit == .seconds(3))
        #expect(configuration.speed == .real(2))
        #expect(configuration.keep == "dir")
    }

    @Test func `Colours are there when they are wanted, and nowhere else`() throws {
        let (always, never) = (
            try Paint(invocation("--color", "always"), for: -1), try Paint(invocation("--color", "never"), for: -1)
        )
        #expect(always("62", .heart).description == "\u{1B}[1;31m62\u{1B}[0m")
        #expect(never("62", .heart).description == "62")
        #expect(try !Paint(invocation(), for: -1).isOn)
        #expect(throws: Obstacle.self) { try Paint(invocation("--color", "blue"), for: -1) }
    }

    @Test func `A painted line is the plain one with the heart rate, the state or the fault marked`() throws {
        let measurement = try HeartRateMeasurement(octets: [0x06, 62])
        let location = try #require(CharacteristicID(.bodySensorLocation, of: .heartRate))
        let sayings: [(SensorCollector.Content, String)] = [
            (.heartRate(measurement), "\u{1B}[1;31m62 bpm\u{1B}[0m, contact"),
            (.state(.scanning), "\u{1B}[1mscanning\u{1B}[0m"),
            (.cleared, "\u{1B}[33mno heart rate\u{1B}[0m"),
            (.value(try ReceivedValue([1], of: location)), "worn at: chest"),
        ]
        for (content, painted) in sayings {
            let update = SensorCollector.Update(content)
            #expect(Paint(isOn: true)(update).description == painted)
            #expect(Paint(isOn: false)(update).description == update.text)
        }
    }
}
