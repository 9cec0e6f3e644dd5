import Basics
package import Bluetooth
import HCI

/// How the command line names a peripheral.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
    case address(DeviceAddress)
    /// The 48 bits of its address, public or random.
    case number(UInt64)
    case name(String)

    /// Reads `C0:FF:EE:00:00:01`, the same followed by `/public` or `/random`, or a name.
    package init(_ text: String) {
        guard let address = DeviceAddress(text) else {
            self = .name(text)
            return
        }
        self = text.contains("/") ? .address(address) : .number(address.number)
    }

    /// As on the command line.
    package var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .number(let number): String("\(DeviceAddress(number, .random))".prefix(while: { $0 != "/" }))
        case .name(let name): name.quoted
        }
    }
}

/// A scan for one peripheral, which also finds others.
package struct PeripheralScan: Sendable {
    package let address: DeviceAddress?
    /// The others, in order of discovery: `C0:FF:EE:00:00:01/random "Lubdub HRM"`.
    package let others: [String]

    /// The first advertiser.
    package let first: DeviceAddress?

    package var isFound: Bool { address != nil }

    /// Scans until the peripheral is found, for at most `duration`; with nil as peripheral for all of that time.
    package init(for peer: Peer?, by host: any ExaminerHost, within duration: Duration) {
        var examiner = Examiner(by: host, of: peer ?? .name(""))
        examiner.start()
        let isFound = examiner.scan { examiner in
            peer == nil ? examiner.wait(atMost: duration) { _ in false } : examiner.awaitAdvertisement(within: duration)
        }
        let found = examiner.address
        address = isFound ? found : nil
        first = examiner.advertisers.all.first?.address
        others = examiner.advertisers.all.filter { peer == nil || $0.address != found }
            .map { "\($0.address)\($0.name.map { " \($0.quoted)" } ?? "")" }
    }
}

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

        /// How many octets its shortened name has, if a peer's name begins with it; else 0.
        func shortenedLength(of peer: Peer) -> Int {
            guard case .name(let whole) = peer else { return 0 }
            let data = reports.compactMap { try? AdvertisingData(octets: $0.data, limit: .extended) }
            let names = data.compactMap { $0.data(.shortenedLocalName) }
            return names.filter { whole.utf8.starts(with: $0) }.map(\.count).max() ?? 0
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
