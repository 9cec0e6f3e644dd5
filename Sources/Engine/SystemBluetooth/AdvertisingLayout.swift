import Bluetooth

/// How a name and services are advertised: as Apple documents it, services and name share 28 octets next to the flags, and
/// the scan response has room for 10 octets of a name that does not fit there.
struct AdvertisingLayout: Equatable {
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []

    /// The number of octets of a name in the scan response.
    static let scanResponseRoom = 10

    /// Services that do not fit are left out: other systems cannot read Apple's overflow area.
    init(name: String?, services: [UUID]) {
        var advertised = AdvertisingData()
        try? advertised.append(
            AdvertisingData.Structure(.flags, [AdvertisingFlags([.generalDiscoverable, .lowEnergyOnly]).rawValue]))
        let (short, long) = (services.filter { $0.number != nil }, services.filter { $0.number == nil })
        advertised.append(short, as: .complete16BitServices, or: .incomplete16BitServices)
        advertised.append(long, as: .complete128BitServices, or: .incomplete128BitServices)
        var response = AdvertisingData()
        if let name, !name.isEmpty {
            do throws(AdvertisingData.Overflow) {
                try advertised.append(AdvertisingData.Structure(.completeLocalName, Array(name.utf8)))
            } catch {
                let cut = Self.cut(name)
                let type: ADType = cut.utf8.count == name.utf8.count ? .completeLocalName : .shortenedLocalName
                try? response.append(AdvertisingData.Structure(type, Array(cut.utf8)))
            }
        }
        (data, scanResponse) = (advertised.octets, response.octets)
    }

    /// As many whole characters as there is room for.
    private static func cut(_ name: String) -> String {
        var result = ""
        for character in name {
            guard (result + String(character)).utf8.count <= scanResponseRoom else { break }
            result.append(character)
        }
        return result
    }
}

extension AdvertisingData {
    /// Adds a list of as many services as fit.
    fileprivate mutating func append(_ services: [UUID], as complete: ADType, or incomplete: ADType) {
        let size = services.first?.octets.count ?? 0
        let count = size == 0 ? 0 : min(services.count, max(0, free - 2) / size)
        guard count > 0 else { return }
        let list = services.prefix(count).flatMap(\.octets)
        try? append(Structure(count == services.count ? complete : incomplete, list))
    }
}
