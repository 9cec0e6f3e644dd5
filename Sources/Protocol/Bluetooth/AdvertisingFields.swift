import Basics

/// Typed access to AD structures.  A property is nil if its type is missing or malformed.
extension AdvertisingData {
    /// The AD type Flags.
    public var flags: AdvertisingFlags? { data(.flags)?.first.map(AdvertisingFlags.init(rawValue:)) }

    /// The services of all lists in order, without incomplete UUIDs.
    public var services: [UUID] {
        structures.flatMap { structure -> [UUID] in
            let size: Int
            switch structure.type {
            case .incomplete16BitServices, .complete16BitServices: size = 2
            case .incomplete128BitServices, .complete128BitServices: size = 16
            default: return []
            }
            return stride(from: 0, through: structure.data.count - size, by: size).compactMap { start in
                UUID(octets: Array(structure.data[start..<start + size]))
            }
        }
    }

    /// The complete or shortened name; U+FFFD replaces invalid UTF-8.
    public var localName: String? {
        (data(.completeLocalName) ?? data(.shortenedLocalName)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The appearance.
    public var appearance: Appearance? {
        guard let data = data(.appearance), data.count == 2 else { return nil }
        return Appearance(UInt16(data[0]) | UInt16(data[1]) << 8)
    }

    /// The transmit power, in dBm.
    public var txPowerLevel: Int8? { data(.txPowerLevel)?.first.map(Int8.init(bitPattern:)) }

    /// The data after the company identifier `company`; nil if it has none.
    public var manufacturerSpecificData: (company: UInt16, data: [UInt8])? {
        guard let data = data(.manufacturerSpecificData), data.count >= 2 else { return nil }
        return (UInt16(data[0]) | UInt16(data[1]) << 8, Array(data[2...]))
    }

    /// The data after the UUID of `service`; nil if it has none.
    public func serviceData(_ service: UUID) -> [UInt8]? {
        let prefix = service.octets
        let type: ADType = prefix.count == 2 ? .serviceData16Bit : .serviceData128Bit
        let structure = structures.first { $0.type == type && $0.data.starts(with: prefix) }
        return structure.map { Array($0.data[prefix.count...]) }
    }

    /// The data of each company, in order: without the company identifier.
    package var allManufacturerData: [(company: UInt16, data: [UInt8])] {
        structures.filter { $0.type == .manufacturerSpecificData && $0.data.count >= 2 }
            .map { (UInt16($0.data[0]) | UInt16($0.data[1]) << 8, Array($0.data[2...])) }
    }

    /// The data of each service, in order: without the UUID.
    package var allServiceData: [(service: UUID, data: [UInt8])] {
        structures.compactMap { structure in
            let length = [ADType.serviceData16Bit: 2, .serviceData128Bit: 16][structure.type]
            guard let length, structure.data.count >= length,
                let service = UUID(octets: Array(structure.data[..<length]))
            else { return nil }
            return (service, Array(structure.data[length...]))
        }
    }

    /// Appends Flags: 3 octets.
    public mutating func append(flags: AdvertisingFlags) throws(Overflow) {
        try append(Structure(.flags, [flags.rawValue]))
    }

    /// Appends a list of the 16-bit UUIDs, and one of the 128-bit UUIDs: of those that have no shorter form, and of those
    /// in `full`.
    ///
    /// Throws for the list that does not fit; an earlier one stays.
    public mutating func append(
        services: [UUID], inFull full: Set<UUID> = [], isComplete: Bool = true
    ) throws(Overflow) {
        let assigned = services.filter { $0.number != nil && !full.contains($0) }
        let others = services.filter { $0.number == nil || full.contains($0) }
        if !assigned.isEmpty {
            let type: ADType = isComplete ? .complete16BitServices : .incomplete16BitServices
            try append(Structure(type, assigned.flatMap(\.octets)))
        }
        if !others.isEmpty {
            let type: ADType = isComplete ? .complete128BitServices : .incomplete128BitServices
            try append(Structure(type, others.flatMap(\.fullOctets)))
        }
    }

    /// Appends the complete name, or a shortened one with as many characters as fit.
    ///
    /// Throws if not even one character fits.
    public mutating func append(localName name: String) throws(Overflow) {
        let room = free - 2
        let complete = Array(name.utf8)
        if complete.count <= room { return try append(Structure(.completeLocalName, complete)) }
        var shortened: [UInt8] = []
        for character in name {
            guard shortened.count + character.utf8.count <= room else { break }
            shortened += Array(character.utf8)
        }
        guard !shortened.isEmpty else {
            throw Overflow(type: .completeLocalName, needs: 2 + complete.count, has: free)
        }
        try append(Structure(.shortenedLocalName, shortened))
    }

    /// Appends the appearance: 4 octets.
    public mutating func append(appearance: Appearance) throws(Overflow) {
        var data: [UInt8] = []
        data.append(appearance.number)
        try append(Structure(.appearance, data))
    }

    /// Appends the transmit power in dBm: 3 octets.
    public mutating func append(txPowerLevel: Int8) throws(Overflow) {
        try append(Structure(.txPowerLevel, [UInt8(bitPattern: txPowerLevel)]))
    }

    /// Appends data of a service.
    public mutating func append(serviceData data: [UInt8], of service: UUID) throws(Overflow) {
        let type: ADType = service.number == nil ? .serviceData128Bit : .serviceData16Bit
        try append(Structure(type, service.octets + data))
    }

    /// Appends data of a company; Assigned Numbers, section 7.1, lists the identifiers.
    public mutating func append(manufacturerSpecificData data: [UInt8], company: UInt16) throws(Overflow) {
        var octets: [UInt8] = []
        octets.append(company)
        try append(Structure(.manufacturerSpecificData, octets + data))
    }
}
