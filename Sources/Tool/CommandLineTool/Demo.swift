import Arguments
import Collector
import Documents
import EventLog
import Scenarios
import Simulation
import Synchronization

let demoGrammar = Arguments.Grammar(
    "demo", "a tour in the terminal: a strap, a client and their packets; needs no radio and no file",
    options: playingOptions + [
        Speed.option("1"), .flag("--quiet", "only what the client shows"),
        .flag("--verbose", "every event, and every packet of both sides"),
    ])

func demo(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let source = Array(demoScenario.utf8)
    let reading = ScenarioFile.read("demo", variables: [:]) { _ in source }
    guard let scenario = reading.scenario, reading.problems.isEmpty else {
        throw CommandFailure(.internalError, reading.problems.map(\.description).joined(separator: "\n"))
    }
    let played = try Played(scenario, "demo", invocation)
    let tour = Tour(try Paint(invocation, for: Console.descriptor), try Verbosity(invocation))
    tour.open()
    let (rehearsal, _, code) = try perform(
        played, at: played.speed ?? .real(1), tour.narrator, source: source, tell: tour.said)
    if code == .success { tour.close(rehearsal) }
    return code
}

/// What the tour plays: rest, effort, a value of two octets, and a strap that is out of range and comes back.
private let demoScenario = """
    {
      "lubdub": 1,
      "name": "Demo",
      "limit": "38 s",
      "devices": [
        { "id": "strap", "name": "Lubdub HRM", "address": "C0:FF:EE:00:00:01/random", "distance": "1 m",
          "advertise": { "interval": "100 ms", "services": ["180D"], "appearance": 833 },
          "services": [
            { "service": "heart_rate", "contact": true, "energy": true, "rr_intervals": true, "location": "chest", "period": "1 s",
              "value": { "curve": "pieces", "pieces": [
                { "value": 62, "for": "7 s" },
                { "value": { "curve": "ramp", "start": 62, "end": 150, "over": "7 s" }, "for": "7 s" },
                { "value": { "curve": "ramp", "start": 150, "end": 62, "over": "16 s" } } ] } },
            { "service": "battery", "value": 87 },
            { "service": "device_information", "manufacturer": "Lubdub", "model": "Strap" } ] } ],
      "script": [
        { "when": "15 s", "id": "peak", "do": "set", "of": "heart_rate", "to": 300, "for": "3 s" },
        { "when": "20 s", "id": "away", "do": "link_loss", "of": "strap", "for": "8 s" } ]
    }

    """

/// What somebody sees who takes the tour.
private struct Tour: Sendable {
    /// Tells what the strap does and which packets pass; nil when only the client is to be heard.
    let narrator: Narrator?
    private let client: Narrator
    private let chapters: Chapters?

    init(_ paint: Paint, _ verbosity: Verbosity) {
        let chapters = verbosity > .quiet ? Chapters(paint) : nil
        let brief = Narrator.Choice(events: Self.main, packets: true, isBrief: true, controller: "client")
        let choice = verbosity == .verbose ? Narrator.Choice(packets: true) : brief
        client = Narrator(choice, paint, say: Console.print) { news in
            switch news {
            case .packet(let packet) where packet.isFromHost && packet.name == "ATT Write Request":
                chapters?.begin("Subscribe", "the client writes 1 beside each value that it wants to be told")
            case .event(.began, of: "peak"):
                chapters?.begin("Two octets", "a bad contact: 300 beats a minute do not fit into one octet")
            case .event(.began, of: "away"):
                chapters?.begin("Out of range", "the strap is silent; nobody says that the link is over")
            case .event(.ended, of: "away"):
                chapters?.begin("Back in range", "the strap is heard again, and everything begins anew")
            case .packet, .event: break
            }
        }
        narrator = verbosity > .quiet ? client : nil
        self.chapters = chapters
    }

    private static let main: Set<EventName> = [
        .advertising, .connected, .disconnected, .mtu, .discovering, .discovered, .read, .subscribed, .notified, .began,
        .ended,
    ]

    func open() {
        guard let chapters else { return }
        Console.print("A strap, a client, and the packets between them, without a radio.  Ctrl-C ends it.")
        Console.print("")
        Console.print("  strap   what the device does, in the words of its scenario")
        Console.print("  client  what the user of an app would see")
        Console.print("  hci     the packets between the client's host and its controller:")
        Console.print("          -> to the controller, <- from it, and their octets")
        chapters.begin("Scan", "the client listens for advertisements of the Heart Rate service, 180D")
    }

    func said(_ instant: Instant, _ saying: SensorCollector.Saying) {
        switch saying.content {
        case .state(.connecting): chapters?.begin("Connect", "the client asks the strap for a link")
        case .state(.disconnected):
            chapters?.begin("The link is lost", "nothing was heard for the supervision timeout; the client scans")
        default: break
        }
        client.said(saying, at: instant)
        switch saying.content {
        case .state(.connected):
            chapters?.begin("Discover", "which services and characteristics are there, and what they say")
        case .state(.subscribed): chapters?.begin("The heart", "from now on the strap notifies, once a second")
        default: break
        }
    }

    func close(_ rehearsal: Rehearsal) {
        guard chapters != nil else { return }
        Console.print("")
        Console.print("Those were \(rehearsal.measurements) measurements.  To go on:")
        Console.print("  lubdub serve scenarios/resting.json              be the strap, for a client of yours")
        Console.print("  lubdub monitor --radio hci:tcp:127.0.0.1:6402    be the client, in a second terminal")
        Console.print("  lubdub --help                                    what else there is")
    }
}

/// The headings of the tour.
private final class Chapters: Sendable {
    private let paint: Paint
    private let begun = Mutex<Set<String>>([])

    init(_ paint: Paint) { self.paint = paint }

    /// Begins a chapter, once.
    func begin(_ name: String, _ text: String) {
        guard begun.withLock({ $0.insert(name).inserted }) else { return }
        Console.print("")
        Console.print("\(paint(name, .heading)): \(text)")
    }
}
