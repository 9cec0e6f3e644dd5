import Basics
package import Bluetooth

/// What a program advertises.
package struct LocalAdvertisement: Equatable, Sendable {
    package var name: String?
    package var services: [UUID] = []
    package var solicited: [UUID] = []
    package var serviceData: [Advertisement.ServiceData] = []
    /// The company identifier, the least significant octet first, and its data; several are possible.
    package var manufacturerData: [[UInt8]] = []
    package var appearance: Appearance?
    package var txPower: Int8?
    /// Further structures.
    package var structures: [AdvertisingData.Structure] = []
    package var isConnectable = true
    package var isDiscoverable = true

    package init() {}
}

/// How an advertisement is laid out in its packets.
struct AdvertisingLayout: Equatable {
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []

    /// The number of octets of a name in the scan response.
    static let scanResponseRoom = 10

    /// A layout; throws if the content does not fit where it must.
    init(_ content: LocalAdvertisement, _ rules: AdvertisingRules) throws(AdvertisingData.Overflow) {
        switch rules {
        case .apple: self.init(name: content.name, services: content.services)
        case .linux: try self.init(content)
        }
    }

    private init(_ content: LocalAdvertisement) throws(AdvertisingData.Overflow) {
        var (advertised, response) = (AdvertisingData(), AdvertisingData())
        if content.isDiscoverable, content.isConnectable {
            try advertised.append(flags: [.generalDiscoverable, .lowEnergyOnly])
        }
        try advertised.append(all: content.services, as: .complete16BitServices, .complete128BitServices)
        try advertised.append(all: content.solicited, as: ADType(0x14), ADType(0x15))
        for octets in content.manufacturerData {
            try advertised.append(AdvertisingData.Structure(.manufacturerSpecificData, octets))
        }
        for data in content.serviceData {
            let type: ADType = data.service.number == nil ? .serviceData128Bit : .serviceData16Bit
            try advertised.append(AdvertisingData.Structure(type, data.service.octets + data.octets))
        }
        for structure in content.structures { try advertised.append(structure) }
        if let power = content.txPower {
            try advertised.append(AdvertisingData.Structure(.txPowerLevel, [UInt8(bitPattern: power)]))
        }
        if let appearance = content.appearance {
            try advertised.append(AdvertisingData.Structure(.appearance, appearance.octets))
        }
        if let name = content.name, !name.isEmpty {
            try response.append(AdvertisingData.Structure(.completeLocalName, Array(name.utf8)))
        }
        (data, scanResponse) = (advertised.octets, response.octets)
    }

    private init(name: String?, services: [UUID]) {
        var advertised = AdvertisingData()
        try? advertised.append(flags: [.generalDiscoverable, .lowEnergyOnly])
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

    /// Adds lists of all services, those of 16 and those of 128 bits.
    fileprivate mutating func append(all services: [UUID], as short: ADType, _ long: ADType) throws(Overflow) {
        let (numbers, others) = (services.filter { $0.number != nil }, services.filter { $0.number == nil })
        if !numbers.isEmpty { try append(Structure(short, numbers.flatMap(\.octets))) }
        if !others.isEmpty { try append(Structure(long, others.flatMap(\.octets))) }
    }
}
