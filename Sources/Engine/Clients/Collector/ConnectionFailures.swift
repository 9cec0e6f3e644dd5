import Basics
import Bluetooth

/// Devices with failed attempts: one without a usable service is left out for a while, and one that could not be
/// connected to comes last.
struct ConnectionFailures: Sendable {
    /// The kind of failure.
    enum Kind: Sendable {
        case timeOut
        /// No connection was established, or it ended before the first subscription.
        case noConnection
        /// The device refuses, or has no usable service.
        case noService
        /// The connection was lost while it was being encrypted with the keys of a bond.
        case noEncryption
    }

    private struct Record {
        let address: DeviceAddress
        var attemptedAt: Instant
        var isRefusing = false
        var timeOuts = 0
        var failures = 0
        var lossesDuringEncryption = 0
    }

    /// The maximum number of devices; a further one replaces the oldest.
    static let most = 64
    /// The time between two attempts with a device without a usable service.
    private static let distance = Duration.seconds(3)

    private var records: [Record] = []

    /// Records the start of a connection attempt.
    mutating func attempt(_ address: DeviceAddress, at now: Instant) {
        var record = record(address) ?? Record(address: address, attemptedAt: now)
        record.attemptedAt = now
        records.removeAll { $0.address == address }
        if records.count == Self.most { records.removeFirst() }
        records.append(record)
    }

    /// Records that the last attempt failed.
    mutating func add(_ kind: Kind, of address: DeviceAddress) {
        guard let index = records.firstIndex(where: { $0.address == address }) else { return }
        switch kind {
        case .timeOut:
            records[index].timeOuts += 1
            records[index].failures += 1
        case .noConnection: records[index].failures += 1
        case .noService: records[index].isRefusing = true
        case .noEncryption: records[index].lossesDuringEncryption += 1
        }
    }

    /// Records that the last attempt succeeded; its instant is kept.
    mutating func forgive(_ address: DeviceAddress) {
        guard let index = records.firstIndex(where: { $0.address == address }) else { return }
        records[index] = Record(address: address, attemptedAt: records[index].attemptedAt)
    }

    /// Until when the device is left out.
    func rest(of address: DeviceAddress) -> Instant {
        guard let record = record(address), record.isRefusing else { return .start }
        return record.attemptedAt.advanced(by: Self.distance)
    }

    /// Whether it comes last: two attempts in succession have failed.
    func comesLast(_ address: DeviceAddress) -> Bool { (record(address)?.failures ?? 0) >= 2 }

    /// Whether the device seems to have other keys: with them, it cannot decrypt the answer, and ends the connection
    /// without a reason.  Core 6.0, Vol 6, Part B, section 5.1.3.1.
    func hasOtherKeys(_ address: DeviceAddress) -> Bool { (record(address)?.lossesDuringEncryption ?? 0) >= 3 }

    /// The timeout of a connection attempt; `shortest` without failures. A device that times out repeatedly may
    /// advertise only every ten seconds.
    func patience(with address: DeviceAddress, atLeast shortest: Duration, atMost longest: Duration) -> Duration {
        let doublings = min(max(0, (record(address)?.timeOuts ?? 0) - 1), 8)
        return min(shortest * (1 << doublings), longest)
    }

    private func record(_ address: DeviceAddress) -> Record? { records.first { $0.address == address } }
}
