public import Bluetooth
import HCI
import Spelling

/// Which peripheral is meant, as the command line names it.
public enum Peer: Hashable, Sendable, CustomStringConvertible {
    /// The one with this address.
    case address(DeviceAddress)
    /// The one whose address has these 48 bits, be it public or random.
    case number(UInt64)
    /// The one that advertises this name.
    case name(String)

    /// Reads `C0:FF:EE:00:00:01`, that with `/public` or `/random` behind it, or a name.
    public init(_ text: String) {
        guard let address = DeviceAddress(text) else {
            self = .name(text)
            return
        }
        self = text.contains("/") ? .address(address) : .number(address.number)
    }

    /// As it is named.
    public var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .number(let number): String("\(DeviceAddress(number, .random))".prefix(while: { $0 != "/" }))
        case .name(let name): name.quoted
        }
    }
}

/// Who is heard, and what each said last.
struct Crowd {
    /// So many are remembered; then the one that came first is forgotten.
    static let most = 256

    /// One advertiser.
    struct Member {
        let address: DeviceAddress
        /// The newest of each kind, in the order in which they came.
        var reports: [AdvertisingReport] = []

        /// What it calls itself; nil when it does not.
        var name: String? {
            reports.lazy.compactMap { try? AdvertisingData(octets: $0.data, limit: .extended) }
                .compactMap(\.localName).first
        }

        /// Whether it is the one that is meant.
        func `is`(_ peer: Peer) -> Bool {
            switch peer {
            case .address(let own): own == address
            case .number(let number): number == address.number
            case .name(let own): own == name
            }
        }
    }

    private(set) var members: [Member] = []

    /// Takes a report in: the member that it is of.
    mutating func hear(_ report: AdvertisingReport) -> Member {
        let known = members.firstIndex { $0.address == report.address }
        var member = known.map { members[$0] } ?? Member(address: report.address)
        member.reports.removeAll { $0.kind == report.kind }
        member.reports.append(report)
        if let known {
            members[known] = member
        } else {
            if members.count == Self.most { members.removeFirst() }
            members.append(member)
        }
        return member
    }
}
