import Basics
import Bluetooth
import Characteristics
import Expectations
import HCI
import LEHost
import Synchronization
import Testing

@testable import Clients

/// A faulty client that shows a kind of cause.
struct CauseExample: CustomTestStringConvertible {
    let kind: CauseKind
    let client: FaultyClient?
    /// The scenario: its id in the folder `scenarios`, or its text.
    var id = ""
    var text: String?

    var testDescription: String { "\(kind.rawValue): \(client?.name ?? "none")" }

    private init(_ kind: CauseKind, _ client: String, _ id: String) {
        self.kind = kind
        self.client = FaultyClient.all.first { $0.name == client }
        self.id = id
    }

    private init(_ kind: CauseKind, _ client: FaultyClient, in text: String) {
        (self.kind, self.client, self.text) = (kind, client, text)
    }

    func played() throws -> FaultyCase {
        if let text { try FaultyCase(text: text) } else { try FaultyCase(id) }
    }

    // MARK: The table

    /// The kinds of which programs outside are examples, with their tests.
    static let elsewhere: [(kind: CauseKind, test: String)] = [
        (.clientEnded, "a program that exits (`test_client`)"),
        (.foreignLine, "a program that prints other lines (`CauseTests`)"),
        (.missingBus, "a program of BlueZ without a bus (`ProgramCauseTests`)"),
        (.signedOctet, "a line of a log (`InventionTests`)"), (.unsignedNumber, "a line of a log (`InventionTests`)"),
        (.idleProgram, "a program that does not notice that bluetoothd was away (`BadDaysOfBlueZTests`)"),
    ]

    static let all = onTheWay + inConnections + lines + streams + values

    private static let onTheWay: [CauseExample] = [
        .init(.neverSearched, "never_returns", "recovery/taken"),
        .init(
            .stoppedScanning,
            .requesting("scans_shortly", "scans for an instant only") { command, _ in
                if case .scan = command { [.request(command), .request(.stopScanning)] } else { [.request(command)] }
            }, in: one(expecting: shown(62))),
        .init(.neverConnected, "never_connects", "clients/named"),
        .init(.otherAddress, "knows_one_address", "recovery/another_address"),
        .init(
            .otherAddressType,
            .requesting("confuses_addresses", "takes a random address for a public one") { command, _ in
                guard case .connect(var creation, let timeout) = command else { return [.request(command)] }
                creation.peer = DeviceAddress(creation.peer.number, .public)
                return [.request(.connect(creation, timeout: timeout))]
            }, in: one(expecting: shown(62))),
        .init(.slowLoss, "crashes", "formats/broken"),
        .init(.notConnected, "never_returns", "recovery/power_off"),
        .init(.clientDisconnected, "restless", "formats/edges"),
    ]

    private static let inConnections: [CauseExample] = [
        .init(.noDiscovery, "discovers_nothing", "clients/named"),
        .init(.noSubscription, "mute", "clients/named"),
        .init(.notSubscribedAgain, "believes_in_subscription", "recovery/taken"),
        .init(.notSubscribedAfterChange, "blank", "recovery/services_change"),
        .init(.noRequest, "reads_nothing", "collector/streams/fitness"),
        .init(.refused, "polls", "clients/subscribes"),
        .init(.nothingArrived, "no_control_point_configuration", "collector/streams/pmd"),
        .init(.unconfirmed, "confirms_nothing", "collector/thermometer/stored"),
        .init(.oldHandle, "asks_at_the_old", "recovery/handles_moved"),
        .init(.notPairedAfterRefusal, "never_pairs", "security/legacy"),
        .init(.neverPaired, "mute", "security/legacy"),
        .init(.pairingFailed, "trusts_confirm", "security/legacy"),
        .init(.pairedAgain, "forgets_bonds", "security/encrypted"),
        .init(.wrongPairing, "short_keys", "security/central/short_key"),
    ]

    private static let lines: [CauseExample] = [
        .init(.nothingPrinted, "blank", "clients/named"),
        .init(.stoppedPrinting, "never_two_octets", "formats/edges"),
        .init(.valueIgnored, "one_interval", "clients/several_rr"),
        .init(.fieldLeftOut, "no_energy", "formats/energy"),
        .init(
            .shownLate, Self.late(by: 3),
            in: one(
                script: #"{"when": "9.2 s", "id": "up", "do": "set", "of": "heart_rate", "to": 99, "for": "1.5 s"}"#,
                expecting: shown(99),
                since: #""since": {"event": "began", "of": "up"}, "within": "1 s""#,
                // Without it, the case would end before the line.
                and: ", {\"id\": \"on\", \"expect\": \"never\", \"event\": \(shown(1))}")),
        .init(.linesAndValues, "invents_contact", "clients/comes_back"),
        .init(.duplicated, "one_more_listener", "clients/comes_back"),
        .init(.notCleared, "frozen", "clients/comes_back"),
        .init(.shownAgain, "redraws", "clients/comes_back"),
        .init(.shownUnreadable, "pads", "formats/broken"),
        .init(.corrected, "invents_heart_rate", "collector/heart_rate/listens"),
        .init(.noValueYet, "reads_nothing", "formats/long_strings"),
        .init(.errorNotShown, "silent_about_errors", "security/fitness_app"),
    ]

    private static let streams: [CauseExample] = [
        .init(.contradictsLine, "invents_steps", "collector/streams/fitness"),
        .init(.advertisedNotShown, "hears_once", "advertising/thermometer"),
        .init(.wrongOrder, "no_control_point_configuration", "collector/streams/pmd"),
        .init(.samplesTwice, "draws_twice", "formats/ecg_doubled"),
        .init(.samplesLeftOut, "denies_losses", "formats/ecg_lost"),
        .init(.falseLosses, "invents_losses", "collector/streams/ecg"),
        .init(.samplesLate, "stops_drawing", "collector/streams/ecg"),
    ]

    private static let values: [CauseExample] = [
        .init(.swappedOctets, "big_endian", "formats/edges"),
        .init(.lowOctet, "one_octet", "formats/edges"),
        .init(.twoOctets, "two_octets", "resting"),
        .init(.ieee754, "ieee_754", "collector/thermometer/float"),
        .init(.powerOfTen, "no_exponent", "collector/thermometer/float"),
        .init(.fahrenheit, "fahrenheit", "collector/thermometer/float"),
        .init(.rrUnit, "milliseconds", "clients/rr_alone"),
        .init(.energyAsInterval, "energy_as_interval", "clients/energy_and_rr"),
        .init(.oddOctet, "odd_octet", "clients/odd_tail"),
        .init(.firstOfSeveral, "first_interval", "clients/several_rr"),
        .init(.contactBits, "contact_as_mask", "clients/contact"),
        .init(.flag, "always_walks", "running"),
        .init(.misplaced, "swapped_flags", "resting"),
        .init(.strides, "strides_per_minute", "formats/running_fields"),
        .init(.specialValue, "no_specials", "collector/thermometer/no_value"),
        .init(.zeroForMissing, "ieee_754", "collector/thermometer/no_value"),
        .init(.earlierValue, "once", "recovery/power_off"),
        .init(.otherDevice, "by_name", "clients/named"),
        .init(.otherChoice, "nearest", "clients/named"),
        .init(.offset, "one_more", "clients/comes_back"),
        .init(
            .factor, half,
            in: one(
                script: #"{"when": "4 s", "do": "set", "of": "heart_rate", "to": 90}"#, expecting: shown(90))),
    ]
}

// MARK: Clients and scenarios for the kinds that no other client shows

extension CauseExample {
    private static func shown(_ bpm: Int) -> String {
        "{\"event\": \"said\", \"line\": {\"heart_rate\": {\"bpm\": \(bpm)}}}"
    }

    private static func one(
        script: String = "", expecting event: String, since: String = #""within": "15 s""#,
        and more: String = ""
    ) -> String {
        """
        {"lubdub": 1, "name": "One", "limit": "20 s", "devices": [{"id": "strap", "name": "Strap",
          "address": "C0:FF:EE:00:00:01/random", "services": [{"service": "heart_rate", "value": 62}]}],
         "script": [\(script)], "expect": [{"id": "e", "expect": "seen", "event": \(event), \(since)}\(more)]}
        """
    }

    private static let half = FaultyClient.showing("half", "shows half of each heart rate") { content, _ in
        guard case .heartRate(var measurement) = content else { return [content] }
        measurement.bpm /= 2
        return [.heartRate(measurement)]
    }

    /// The heart rates of a connection, by their numbers.
    private final class Waiting: Sendable {
        let contents = Mutex<[Int: SensorCollector.Content]>([:])
    }

    /// One that shows each heart rate a number of values later.
    private static func late(by count: Int) -> FaultyClient {
        let waiting = Waiting()
        return .showing("late", "shows each value some seconds late") { content, view in
            guard case .heartRate = content else { return [content] }
            return waiting.contents.withLock { contents in
                contents[view.values] = content
                return contents[view.values - count].map { [$0] } ?? []
            }
        }
    }
}

// MARK: The page

extension CauseExample {
    static var page: String {
        var text = """
            # Causes of failures

            Generated by `make generate`; the test fails if this page is outdated.
            A fail has its likely cause, as far as Lubdub knows it from the client's controller, the device's server, and what was
            delivered and printed. Its packets are in the trace. JSON reports have the kinds of causes under `causes`.
            Each kind has a faulty client that shows it in a test.

            | kind | what it means | shown by |
            |---|---|---|

            """
        for kind in CauseKind.allCases {
            let example = all.first { $0.kind == kind }
            let client = example?.client.map { "`\($0.name)`: \($0.about)" }
            let test = elsewhere.first { $0.kind == kind }?.test
            text += "| `\(kind.rawValue)` | \(kind.about) | \(client ?? test ?? "") |\n"
        }
        return text
    }
}
