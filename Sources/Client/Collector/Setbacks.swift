import Bluetooth
import Simulation

/// With which devices it did not work out lately: one that serves nothing is left alone for a while, and one that
/// cannot be connected to lets others come first.
struct Setbacks: Sendable {
    /// What did not work out.
    enum Kind: Sendable {
        /// It was not heard while a connection was being made.
        case timeOut
        /// No connection came about, or none that lasted until something was subscribed to.
        case noConnection
        /// It refuses, or has nothing to give.
        case noService
    }

    private struct Record {
        let address: DeviceAddress
        var attemptedAt: Instant
        var isRefusing = false
        var timeOuts = 0
        var failures = 0
    }

    /// How many devices are remembered; for a further one the oldest attempt is forgotten.
    static let most = 64
    /// From one attempt with a device that serves nothing to the next.
    private static let distance = Duration.seconds(3)

    private var records: [Record] = []

    /// An attempt to connect begins.
    mutating func attempt(_ address: DeviceAddress, at now: Instant) {
        var record = record(address) ?? Record(address: address, attemptedAt: now)
        record.attemptedAt = now
        records.removeAll { $0.address == address }
        if records.count == Self.most { records.removeFirst() }
        records.append(record)
    }

    /// The last attempt did not work out.
    mutating func add(_ kind: Kind, of address: DeviceAddress) {
        guard let index = records.firstIndex(where: { $0.address == address }) else { return }
        switch kind {
        case .timeOut:
            records[index].timeOuts += 1
            records[index].failures += 1
        case .noConnection: records[index].failures += 1
        case .noService: records[index].isRefusing = true
        }
    }

    /// The last attempt did; when it was is remembered.
    mutating func forgive(_ address: DeviceAddress) {
        guard let index = records.firstIndex(where: { $0.address == address }) else { return }
        records[index] = Record(address: address, attemptedAt: records[index].attemptedAt)
    }

    /// Until when it is left alone.
    func rest(of address: DeviceAddress) -> Instant {
        guard let record = record(address), record.isRefusing else { return .start }
        return record.attemptedAt.advanced(by: Self.distance)
    }

    /// Whether others come first: twice in succession it could not be connected to.
    func comesLast(_ address: DeviceAddress) -> Bool { (record(address)?.failures ?? 0) >= 2 }

    /// How long a connection may take to come about; `shortest` while nothing is known against the device.  Who is heard
    /// and then not found again and again may be one that advertises every ten seconds.
    func patience(with address: DeviceAddress, atLeast shortest: Duration, atMost longest: Duration) -> Duration {
        let doublings = min(max(0, (record(address)?.timeOuts ?? 0) - 1), 8)
        return min(shortest * (1 << doublings), longest)
    }

    private func record(_ address: DeviceAddress) -> Record? { records.first { $0.address == address } }
}
