import Bluetooth
import HCI
import Simulation

/// The devices that were heard since scanning began, in that order.
struct Candidates: Sendable {
    /// How many are remembered; further ones are not heard.
    static let most = 256

    /// One device: what its advertisement and its scan response say together.
    struct Candidate: Sendable {
        let address: DeviceAddress
        var name: String?
        var services: [UUID] = []
        var isConnectable = false
        /// Whether it has been told with its name already, or without.
        var toldName: String??
        fileprivate var strength = Strength()
    }

    /// How strong a device was heard, fading included: the mean of all reports.
    fileprivate struct Strength: Sendable {
        var sum = 0
        var count = 0

        static func < (left: Strength, right: Strength) -> Bool {
            guard left.count > 0, right.count > 0 else { return left.count == 0 && right.count > 0 }
            return left.sum * right.count < right.sum * left.count
        }
    }

    /// Whom to connect to.
    enum Choice: Sendable {
        case connect(Candidate)
        /// All that would do are left alone until then.
        case wait(until: Instant)
        case nobody
    }

    private(set) var all: [Candidate] = []

    /// Takes a report in, and returns where in `all` its device is; nil when it is not remembered.
    mutating func hear(_ report: AdvertisingReport) -> Int? {
        let known = all.firstIndex { $0.address == report.address }
        if known == nil {
            guard all.count < Self.most else { return nil }
            all.append(Candidate(address: report.address))
        }
        let index = known ?? all.count - 1
        all[index].hear(report)
        return index
    }

    /// Whether the candidate has to be told: it is new, or its name is.
    mutating func isNews(_ index: Int) -> Bool {
        guard all[index].toldName != .some(all[index].name) else { return false }
        all[index].toldName = .some(all[index].name)
        return true
    }

    /// Of those that can be connected to and are asked for by name or address, or advertise the earliest of the services
    /// that any of them does: the best heard of those that are not left alone, the first of equals; who could not be
    /// connected to comes last.
    func choose(for settings: SensorCollector.Settings, _ setbacks: Setbacks, at now: Instant) -> Choice {
        let right = rightOnes(for: settings)
        let ready = right.filter { setbacks.rest(of: $0.address) <= now }
        let best = Self.strongest(of: ready.filter { !setbacks.comesLast($0.address) }) ?? Self.strongest(of: ready)
        if let best { return .connect(best) }
        guard let rest = right.map({ setbacks.rest(of: $0.address) }).min() else { return .nobody }
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
    /// The mean of all reports, in dBm; nil when the controller does not know.
    var rssi: Int8? {
        guard strength.count > 0 else { return nil }
        return Int8(clamping: Int((Double(strength.sum) / Double(strength.count)).rounded()))
    }

    /// Whether it advertises one of them; empty: anything will do.
    func offers(_ wanted: [UUID]) -> Bool { wanted.isEmpty || services.contains { wanted.contains($0) } }

    fileprivate mutating func hear(_ report: AdvertisingReport) {
        if report.rssi != 127 {
            strength.sum += Int(report.rssi)
            strength.count += 1
        }
        if report.kind == .undirected || report.kind == .directed { isConnectable = true }
        guard let data = try? AdvertisingData(octets: report.data, limit: .extended) else { return }
        if let name = data.localName { self.name = name }
        for service in data.services where !services.contains(service) { services.append(service) }
    }
}
