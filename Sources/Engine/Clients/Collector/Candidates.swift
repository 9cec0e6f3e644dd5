import Basics
import Bluetooth
import Characteristics
import HCI

/// The devices found since scanning began, in that order.
struct Candidates: Sendable {
    /// The maximum number of devices; further ones are ignored.
    static let most = 256

    /// One device, with its advertisement and scan response combined.
    struct Candidate: Sendable {
        let address: DeviceAddress
        var name: String?
        var services: [UUID] = []
        var isConnectable = false
        /// The name with which it was reported, which may be nil; nil before it was reported.
        var toldName: String??
        /// What it broadcasts, of all reports.
        fileprivate var measurement: AdvertisedMeasurement?
        fileprivate var toldMeasurement: AdvertisedMeasurement?
        fileprivate var strength = Strength()
    }

    /// The average signal strength of all reports, fading included.
    fileprivate struct Strength: Sendable {
        var sum = 0
        var count = 0

        static func < (left: Strength, right: Strength) -> Bool {
            guard left.count > 0, right.count > 0 else { return left.count == 0 && right.count > 0 }
            return left.sum * right.count < right.sum * left.count
        }
    }

    /// The device to connect to.
    enum Choice: Sendable {
        case connect(Candidate)
        /// Do not connect to any candidate until this instant.
        case wait(until: Instant)
        case nobody
    }

    private(set) var all: [Candidate] = []

    /// Adds a report, and returns the index of its device in `all`; nil when the list is full.
    mutating func receive(_ report: AdvertisingReport) -> Int? {
        let known = all.firstIndex { $0.address == report.address }
        if known == nil {
            guard all.count < Self.most else { return nil }
            all.append(Candidate(address: report.address))
        }
        let index = known ?? all.count - 1
        all[index].receive(report)
        return index
    }

    /// Whether to report the candidate: it is new, or its name is.
    mutating func isNews(_ index: Int) -> Bool {
        guard all[index].toldName != .some(all[index].name) else { return false }
        all[index].toldName = .some(all[index].name)
        return true
    }

    /// What a device broadcasts that the client cannot connect to, or does not want to, if it is other than before.
    mutating func newMeasurement(_ index: Int, for settings: SensorCollector.Settings) -> AdvertisedMeasurement? {
        guard let measurement = all[index].measurement, measurement != all[index].toldMeasurement else { return nil }
        switch settings.choice {
        case .nobody: break
        case .strongest: if all[index].isConnectable { return nil }
        case .address, .name:
            if all[index].isConnectable || !settings.choice.names(all[index]) { return nil }
        }
        all[index].toldMeasurement = measurement
        return measurement
    }

    /// The strongest connectable device that matches the name or address of the settings, or advertises the earliest
    /// service that any candidate does. Devices under a setback are left out; the first of equals wins, and devices
    /// that could not be connected to come last.
    func choose(for settings: SensorCollector.Settings, _ failures: ConnectionFailures, at now: Instant) -> Choice {
        let right = rightOnes(for: settings)
        let ready = right.filter { failures.rest(of: $0.address) <= now }
        let best = Self.strongest(of: ready.filter { !failures.comesLast($0.address) }) ?? Self.strongest(of: ready)
        if let best { return .connect(best) }
        guard let rest = right.map({ failures.rest(of: $0.address) }).min() else { return .nobody }
        return .wait(until: rest)
    }

    private func rightOnes(for settings: SensorCollector.Settings) -> [Candidate] {
        let connectable = all.filter(\.isConnectable)
        switch settings.choice {
        case .nobody: return []
        case .address, .name: return connectable.filter { settings.choice.names($0) }
        case .strongest where settings.services.isEmpty: return connectable
        case .strongest:
            for service in settings.services {
                let right = connectable.filter { $0.services.contains(service) }
                if !right.isEmpty { return right }
            }
            return []
        }
    }

    private static func strongest(of candidates: [Candidate]) -> Candidate? {
        var best: Candidate?
        for candidate in candidates {
            if let other = best, !(other.strength < candidate.strength) { continue }
            best = candidate
        }
        return best
    }
}

extension Candidates.Candidate {
    /// The mean of all reports, in dBm; nil when the controller does not measure it.
    var rssi: Int8? {
        guard strength.count > 0 else { return nil }
        return Int8(clamping: Int((Double(strength.sum) / Double(strength.count)).rounded()))
    }

    /// Whether it advertises one of the services; true for an empty list.
    func offers(_ wanted: [UUID]) -> Bool { wanted.isEmpty || services.contains { wanted.contains($0) } }

    fileprivate mutating func receive(_ report: AdvertisingReport) {
        if report.rssi != 127 {
            strength.sum += Int(report.rssi)
            strength.count += 1
        }
        if report.kind == .undirected || report.kind == .directed { isConnectable = true }
        guard let data = try? AdvertisingData(octets: report.data, limit: .extended) else { return }
        if let name = data.localName { self.name = name }
        if let new = AdvertisedMeasurement(data) { measurement = measurement?.updated(by: new) ?? new }
        for service in data.services where !services.contains(service) { services.append(service) }
    }
}
