import Basics
import Bluetooth
import HCI

/// The scans of all programs, each with its filter, as one scan of the controller.
struct Scanning: Sendable {
    /// A report that is complete, with the scan response if there is one.
    typealias Received = (report: AdvertisingReport, response: AdvertisingReport?)

    private struct Scanner: Sendable {
        let program: ProgramID
        var options: ScanOptions
        var reported: Set<DeviceAddress> = []
    }

    private let policy: ScanPolicy
    private var scanners: [Scanner] = []
    /// Advertisements that wait for their scan response.
    private var unanswered: [DeviceAddress: AdvertisingReport] = [:]
    /// Advertisements that were reported without their scan response, which a controller with a filter may still report.
    private var incomplete: [DeviceAddress: AdvertisingReport] = [:]
    /// When the present period of the controller's scan ends.
    private(set) var periodEnd = Instant.never

    init(_ policy: ScanPolicy) { self.policy = policy }

    /// Whether a program scans.
    var isWanted: Bool { !scanners.isEmpty }

    var parameters: ScanParameters {
        ScanParameters(isActive: true, interval: policy.window.interval, window: policy.window.length)
    }

    /// A program scans, in place of its present scan; returns whether no other program scans so.
    mutating func begin(_ options: ScanOptions, of program: ProgramID) -> Bool {
        end(of: program)
        defer { scanners.append(Scanner(program: program, options: options)) }
        return !scanners.contains { $0.options == options }
    }

    mutating func end(of program: ProgramID) { scanners.removeAll { $0.program == program } }

    /// The radio has been switched off.
    mutating func reset() {
        scanners.removeAll()
        unanswered.removeAll()
        incomplete.removeAll()
        periodEnd = .never
    }

    // MARK: Periods

    /// The controller begins to scan: it reports all advertisers.
    mutating func beginPeriod(at now: Instant) {
        guard let period = policy.period else { return }
        periodEnd = now.advanced(by: period)
        incomplete.removeAll()
        for index in scanners.indices { scanners[index].reported.removeAll() }
    }

    mutating func endPeriod() { periodEnd = .never }

    // MARK: Reports

    /// Takes a report, and returns one that is complete now: programs see an advertisement together with its scan response, so
    /// it waits for that until the next one of the peripheral.
    mutating func receive(_ report: AdvertisingReport) -> Received? {
        switch report.kind {
        case .undirected, .scannable:
            let earlier = unanswered[report.address]
            if unanswered.count >= SharedCentral.maximumPeripherals { unanswered.removeAll() }
            unanswered[report.address] = report
            return earlier.map { ($0, nil) }
        case .scanResponse:
            if let advertisement = unanswered.removeValue(forKey: report.address) { return (advertisement, report) }
            guard let earlier = incomplete.removeValue(forKey: report.address) else { return nil }
            for index in scanners.indices { scanners[index].reported.remove(report.address) }
            return (earlier, report)
        case .directed, .nonConnectable: return (report, nil)
        }
    }

    /// A peripheral is connected: nobody waits for its scan response.
    mutating func drop(_ peer: DeviceAddress) { unanswered[peer] = nil }

    /// The advertisements that wait longer than a controller with a filter would report their scan responses.
    mutating func takeUnanswered(before report: AdvertisingReport?) -> [AdvertisingReport] {
        guard policy.filtersDuplicates, !unanswered.isEmpty else { return [] }
        let taken = unanswered.values.filter { $0.address != report?.address }
        if incomplete.count >= SharedCentral.maximumPeripherals { incomplete.removeAll() }
        for report in taken {
            unanswered[report.address] = nil
            incomplete[report.address] = report
        }
        return taken.sorted { $0.address.number < $1.address.number }
    }

    /// Reports an advertisement to the programs whose scans admit it, or to everyone if there is one; returns whether there is.
    mutating func report(
        _ advertisement: Advertisement, of peer: DeviceAddress, named name: String?, rssi: Int8,
        to everyone: [ProgramID]?, into outbox: inout [SharedCentral.Output]
    ) -> Bool {
        var isAdmitted = false
        for index in scanners.indices
        where scanners[index].options.admits(advertisement, of: peer, named: name, rssi: rssi) {
            guard scanners[index].options.allowsDuplicates || !scanners[index].reported.contains(peer) else { continue }
            if scanners[index].reported.count >= SharedCentral.maximumPeripherals {
                scanners[index].reported.removeAll()
            }
            scanners[index].reported.insert(peer)
            isAdmitted = true
            if everyone == nil {
                outbox.append(.event(scanners[index].program, .discovered(peer, advertisement, rssi: rssi)))
            }
        }
        guard isAdmitted, let everyone else { return isAdmitted }
        for program in everyone { outbox.append(.event(program, .discovered(peer, advertisement, rssi: rssi))) }
        return true
    }
}
