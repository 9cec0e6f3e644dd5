import Bluetooth
import HCI

/// The advertisers that a scan found, with their newest reports.
struct AdvertiserCache {
    /// A further advertiser replaces the oldest one.
    static let maximum = 256

    struct Advertiser {
        let address: DeviceAddress
        /// The newest report of each kind, in order of arrival.
        var reports: [AdvertisingReport] = []

        /// The name that it advertises; nil if there is none.
        var name: String? {
            reports.lazy.compactMap { try? AdvertisingData(octets: $0.data, limit: .extended) }
                .compactMap(\.localName).first
        }

        func matches(_ peer: Peer) -> Bool {
            switch peer {
            case .address(let own): own == address
            case .number(let number): number == address.number
            case .name(let own): own == name
            }
        }
    }

    private(set) var all: [Advertiser] = []

    mutating func add(_ report: AdvertisingReport) -> Advertiser {
        let known = all.firstIndex { $0.address == report.address }
        var advertiser = known.map { all[$0] } ?? Advertiser(address: report.address)
        advertiser.reports.removeAll { $0.kind == report.kind }
        advertiser.reports.append(report)
        if let known {
            all[known] = advertiser
        } else {
            if all.count == Self.maximum { all.removeFirst() }
            all.append(advertiser)
        }
        return advertiser
    }
}
