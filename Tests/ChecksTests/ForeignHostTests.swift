import ATT
import Basics
import Bluetooth
import CheckCatalogue
import Expectations
import GATT
import HCI
import LEHost
import ScenarioModel
import Testing
import VirtualWorld

@testable import Checks

/// A host of another program: it hides some attributes, sends some requests by itself, and lacks most capabilities.
private final class ForeignHost: HostOfRealPeripheral {
    var host: VirtualTimeHost
    private var outputs: [Host.Output] = []
    /// The services that it hides, once they were discovered.
    private var hidden: [HandleRange] = []
    private var configurations: Set<UInt16> = []
    private let isBonded: Bool
    /// The number of the host's own requests.
    private static let own = UInt32.max
    /// Requests and faults that it does not support, but was given.
    private(set) var trespasses: [String] = []

    init(_ peripheral: Peripheral, isBonded: Bool = false) throws {
        host = try VirtualTimeHost(peripheral)
        self.isBonded = isBonded
    }

    func play(until limit: Instant) -> Bool { !outputs.isEmpty || host.play(until: limit) }

    func unsupportedReason(for capability: CentralCapability) -> String? {
        switch capability {
        case .service(.genericAccess), .service(.genericAttribute): "the host hides this service"
        case .service: nil
        case .absenceOfBond: isBonded ? "the host has a bond" : nil
        default: "not supported by this host"
        }
    }

    func perform(_ command: Host.Command) {
        switch command {
        case .procedure(let id, let procedure, let number):
            guard let why = whyUnavailable(procedure) else { return host.perform(command) }
            outputs.append(.finished(id, id: number, .failure(.unavailable(why))))
        default: host.perform(command)
        }
    }

    func inject(_ fault: Host.Fault) throws(UnsupportedFault) {
        trespasses.append("\(fault)")
        throw UnsupportedFault("not supported by this host")
    }

    private func whyUnavailable(_ procedure: Procedure) -> String? {
        switch procedure {
        case .discoverEverything: return nil
        case .configure(let handle, _): note(handle, procedure)
        case .read(let handle), .readLong(let handle): note(handle, procedure)
        case .write(let handle, _), .writeLong(let handle, _), .writeCommand(let handle, _):
            note(handle, procedure)
            if configurations.contains(handle) { return "the host writes configurations itself" }
        default: return "not supported by this host"
        }
        return nil
    }

    private func note(_ handle: UInt16, _ procedure: Procedure) {
        if hidden.contains(where: { $0.contains(handle) }) { trespasses.append("\(procedure)") }
    }

    func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        var drained: [Host.Output] = []
        host.drain(into: &drained)
        for output in outputs + drained.compactMap(translated) { handle(output, &pool) }
        outputs.removeAll()
    }

    /// What it reports of an output: of an advertiser all that it knows, and of a disconnection no reason.
    private func translated(_ output: Host.Output) -> Host.Output? {
        switch output {
        case .report(let report): return Self.merged(report).map { .report($0) }
        case .connected(let id, _):
            host.perform(.procedure(id, .exchangeMTU, id: Self.own))
            return output
        case .timing, .exchangedMTU, .overheard, .finished(_, Self.own, _): return nil
        case .disconnected(let id, let address, _): return .disconnected(id, address, reason: .unspecified)
        case .finished(_, _, .success(.services(let found))):
            hidden = found.filter { [.genericAccess, .genericAttribute].contains($0.uuid) }.map(\.range)
            configurations = Set(found.flatMap(\.characteristics).compactMap(\.configurationHandle))
            return output
        default: return output
        }
    }

    private static func merged(_ report: AdvertisingReport) -> AdvertisingReport? {
        guard report.kind != .scanResponse else { return nil }
        var report = report
        var data = AdvertisingData(limit: .extended)
        let known = (try? AdvertisingData(octets: report.data))?.services ?? []
        try? data.append(services: [.genericAccess, .genericAttribute, UUID(0x1812), .battery] + known)
        try? data.append(localName: "Lubdub HRM")
        report.data = data.octets
        return report
    }
}

/// Checks by a host that lacks capabilities: a check that needs one is skipped with a reason, and no correct peripheral fails.
@Suite struct ForeignHostTests {
    private static let strap = Peer.name("Lubdub HRM")

    @Test(arguments: Peripheral.correct.map(\.name))
    func `a correct peripheral fails no check, and unsupported requests are not sent`(name: String) throws {
        let peripheral = try #require(Peripheral.correct.first { $0.name == name })
        for check in Check.all {
            let radio = try ForeignHost(peripheral)
            // Not all correct peripherals follow recommendations.
            let outcome = check.run(on: Self.strap, over: radio, isStrict: check.weight != .recommended)
            let words = "\(check.id): \(outcome.finding.map { "\($0.expected), \($0.seen)" } ?? outcome.reason ?? "")"
            #expect(peripheral.verdictsIfReal.contains(outcome.verdict), "\(words)")
            #expect(radio.trespasses.isEmpty, "\(check.id)")
        }
    }

    /// A mutant fails the check that must find it, or that check is skipped.
    @Test func `a mutant fails its check, or the check is skipped`() throws {
        var caught: Set<String> = []
        for mutant in Peripheral.mutants {
            guard let check = Check.all.first(where: { $0.id == mutant.caughtBy }) else { continue }
            let radio = try ForeignHost(mutant)
            let outcome = check.run(on: Self.strap, over: radio, isStrict: true)
            #expect(outcome.verdict != .pass, "\(mutant.name): \(check.id)")
            #expect(radio.trespasses.isEmpty, "\(mutant.name)")
            if outcome.verdict == .fail { caught.insert(check.id) }
        }
        #expect(
            caught.isSuperset(of: [
                "HRS/SEN/SGGIT/CHA/BV-01-C", "HRS/SEN/CON/BV-01-C", "HRS/SEN/CW/BI-01-C", "HRS/SEN/CR/BV-01-C",
                "heart_rate/flags_explain_octets", "heart_rate/control_point_length", "battery/level_is_a_percentage",
                "reconnection/configuration_is_cleared", "GATT/SR/GAW/BV-03-C", "thermometer/flags_explain_octets",
            ]), "\(caught.sorted())")
    }

    static let reasons: [(id: String, reason: String)] = [
        ("advertising/flags", "not supported by this host"),
        ("HRP/SEN/HRF/BV-01-C", "not supported by this host"),
        ("HRS/SEN/CN/BV-01-C", "not supported by this host"),
        ("GATT/SR/GAC/BV-01-C", "not supported by this host"),
        ("GATT/SR/GAR/BV-04-C", "not supported by this host"),
        ("GATT/SR/GAW/BV-11-C", "not supported by this host"),
        ("gatt/one_indication_at_a_time", "not supported by this host"),
        ("GATT/SR/GAS/BV-02-C", "the host hides this service"),
        ("GATT/SR/UNS/BI-01-C", "the host hides this service"),
        ("reconnection/configuration_is_cleared", "the host has a bond"),
        (
            "GATT/SR/GAR/BV-03-C",
            "Read By Type of Body Sensor Location is not possible: not supported by this host"
        ),
        ("HTS/SEN/SGGIT/SER/BV-01-C", "not applicable: no Health Thermometer service"),
    ]

    @Test(arguments: reasons) func `a skip has the radio's reason`(id: String, reason: String) throws {
        let check = try #require(Check.all.first { $0.id == id })
        let host = try ForeignHost(Peripheral.full, isBonded: true)
        let outcome = check.run(on: Self.strap, over: host, isStrict: true)
        #expect(outcome.verdict == .skip)
        #expect(outcome.reason == reason)
    }

    /// A service that is advertised but not found may be hidden by the host, so that is not a fail.
    @Test func `a service that the host hides is not missing`() throws {
        let check = try #require(Check.all.first { $0.id == "BAS/SR/SGGIT/SER/BV-01-C" })
        let plain = Peripheral(name: "bare", about: "no battery", services: [Peripheral.plainHeartRate])
        let outcome = check.run(on: Self.strap, over: try ForeignHost(plain))
        #expect(outcome.reason == "the Battery service is advertised but was not found; not supported by this host")
        #expect(outcome.verdict == .skip)
    }
}
