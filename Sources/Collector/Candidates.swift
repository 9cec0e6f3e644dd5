import Bluetooth
import HCI

/// The devices that were heard since scanning began, in that order.
struct Candidates: Sendable {
    /// How many are remembered; further ones are not heard.
    static let most = 256

    /// One device: what its advertisement and its scan response say together.
    struct Candidate: Sendable {
        let address: DeviceAddress
        var name: String?
        var services: [UUID] = []
        /// The best so far, in dBm; nil when the controller does not know.
        var rssi: Int8?
        var isConnectable = false
        /// Whether it has been told with its name already, or without.
        var toldName: String??
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

    /// Of those that can be connected to and advertise the earliest of `services` that any of them does, the best heard;
    /// the first of equals.
    func strongest(of services: [UUID]) -> Candidate? {
        let connectable = all.filter(\.isConnectable)
        guard !services.isEmpty else { return Self.strongest(of: connectable) }
        return services.lazy.compactMap { service in
            Self.strongest(of: connectable.filter { $0.services.contains(service) })
        }.first
    }

    private static func strongest(of candidates: [Candidate]) -> Candidate? {
        var best: Candidate?
        for candidate in candidates {
            if let other = best, other.rssi ?? .min >= candidate.rssi ?? .min { continue }
            best = candidate
        }
        return best
    }
}

extension Candidates.Candidate {
    /// Whether it advertises one of them; empty: anything will do.
    func offers(_ wanted: [UUID]) -> Bool { wanted.isEmpty || services.contains { wanted.contains($0) } }

    fileprivate mutating func hear(_ report: AdvertisingReport) {
        if report.rssi != 127 { rssi = max(rssi ?? .min, report.rssi) }
        if report.kind == .undirected || report.kind == .directed { isConnectable = true }
        guard let data = try? AdvertisingData(octets: report.data, limit: .extended) else { return }
        if let name = data.localName { self.name = name }
        for service in data.services where !services.contains(service) { services.append(service) }
    }
}
