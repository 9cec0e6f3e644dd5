import Basics
import Cases
import Causes
import Clients
import CommandSupport
import Documents
import Linux
import ScenarioLanguage
import ScenarioModel
import Synchronization

let demoGrammar = CommandGrammar(
    "demo", "Show a strap, a client and their packets in the terminal, without a radio",
    options: playingOptions(until: "the end of the tour, 38 s") + [Speed.option("1")] + recordingOptions() + [
        .flag("--quiet", "Print only the client's values"),
        .flag("--verbose", "Print every event, and every packet of both sides"), colorOption,
    ])

func demo(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let source = Array(demoScenario.utf8)
    let reading = ScenarioFile.read("demo", variables: [:]) { _ in source }
    guard let scenario = reading.scenario, reading.problems.isEmpty else {
        throw Obstacle(.internalError, problems: reading.problems.flatMap(\.lines))
    }
    let plan = try RunPlan(scenario, "demo", invocation)
    let tour = Tour(try Paint(invocation, for: Console.descriptor), try Verbosity(invocation))
    tour.open()
    let (clientRun, _, code) = try playToBuiltInClient(
        plan, at: plan.speed ?? .real(1), for: RunListener(tour.narrator), source: source, Signals(),
        report: tour.show)
    if code == .success { tour.close(clientRun) }
    return code
}

/// Rest, effort, a heart rate of two octets, and a strap that goes out of range and returns.
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

/// The output of the tour.
private struct Tour: Sendable {
    /// Prints the strap's events and the packets; nil when only the client's values are printed.
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
                chapters?.begin("Subscribe", "the client enables notifications: it writes 1 to each value's descriptor")
            case .event(.began, of: "peak"):
                chapters?.begin("Two octets", "a bad contact: 300 bpm do not fit into one octet")
            case .event(.began, of: "away"):
                chapters?.begin("Out of range", "the strap falls silent; nothing ends the link")
            case .event(.ended, of: "away"):
                chapters?.begin("Back in range", "the client finds the strap again, and starts over")
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
        Console.print("A strap, a client, and the packets between them, without a radio.  Press Ctrl-C to stop.")
        Console.print("")
        Console.print("  strap   the device's events, in the words of its scenario")
        Console.print("  client  the values that an app would show")
        Console.print("  hci     the packets between the client's host and its controller:")
        Console.print("          -> to the controller, <- from the controller, and their octets")
        chapters.begin("Scan", "the client listens for advertisements of the Heart Rate service, 180D")
    }

    func show(_ instant: Instant, _ update: SensorCollector.Update) {
        switch update.content {
        case .state(.connecting): chapters?.begin("Connect", "the client connects to the strap")
        case .state(.disconnected):
            chapters?.begin("The link is lost", "no packet for the supervision timeout; the client scans")
        default: break
        }
        client.show(update, at: instant)
        switch update.content {
        case .state(.connected):
            chapters?.begin("Discover", "the client finds services and characteristics, and reads their values")
        case .state(.subscribed): chapters?.begin("The heart", "the strap notifies the heart rate once a second")
        default: break
        }
    }

    func close(_ clientRun: BuiltInClientRun) {
        guard chapters != nil else { return }
        Console.print("")
        Console.print("The client received \(clientRun.measurements) measurements.  Next:")
        for line in Introduction.table(Introduction.next) { Console.print("\(line)") }
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
