import Octets

/// The AD types that Lubdub reads and writes.  What is read is nil when the type is missing or its data is malformed:
/// anybody may send anything.
extension AdvertisingData {
    /// Whether and how it may be discovered.
    public var flags: AdvertisingFlags? { data(.flags)?.first.map(AdvertisingFlags.init(rawValue:)) }

    /// The services of all lists, in their order; what is left of a list that is cut within a UUID is left out.
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

    /// The name, or its beginning; what is not UTF-8 in it is replaced by U+FFFD.
    public var localName: String? {
        (data(.completeLocalName) ?? data(.shortenedLocalName)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What it looks like.
    public var appearance: Appearance? {
        guard let data = data(.appearance), data.count == 2 else { return nil }
        return Appearance(UInt16(data[0]) | UInt16(data[1]) << 8)
    }

    /// With how many dBm the packet is sent.
    public var txPowerLevel: Int8? { data(.txPowerLevel)?.first.map(Int8.init(bitPattern:)) }

    /// What a company tells, without its identifier, which is `company`.
    public var manufacturerSpecificData: (company: UInt16, data: [UInt8])? {
        guard let data = data(.manufacturerSpecificData), data.count >= 2 else { return nil }
        return (UInt16(data[0]) | UInt16(data[1]) << 8, Array(data[2...]))
    }

    /// What a service tells; nil when it tells nothing.
    public func serviceData(_ service: UUID) -> [UInt8]? {
        let prefix = service.octets
        let type: ADType = prefix.count == 2 ? .serviceData16Bit : .serviceData128Bit
        let structure = structures.first { $0.type == type && $0.data.starts(with: prefix) }
        return structure.map { Array($0.data[prefix.count...]) }
    }

    /// Adds flags: 3 octets.
    public mutating func append(flags: AdvertisingFlags) throws(Overflow) {
        try append(Structure(.flags, [flags.rawValue]))
    }

    /// Adds all services: a complete list of those with an assigned number, and one of the others.
    ///
    /// Throws for the list that does not fit; the one before it stays.
    public mutating func append(services: [UUID]) throws(Overflow) {
        let assigned = services.filter { $0.number != nil }
        let others = services.filter { $0.number == nil }
        if !assigned.isEmpty { try append(Structure(.complete16BitServices, assigned.flatMap(\.octets))) }
        if !others.isEmpty { try append(Structure(.complete128BitServices, others.flatMap(\.octets))) }
    }

    /// Adds the name, or as many of its first characters as there is room for, marked as shortened.
    ///
    /// Throws when there is not even room for one.
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

    /// Adds what it looks like: 4 octets.
    public mutating func append(appearance: Appearance) throws(Overflow) {
        var data: [UInt8] = []
        data.append(appearance.number)
        try append(Structure(.appearance, data))
    }

    /// Adds with how many dBm the packet is sent: 3 octets.
    public mutating func append(txPowerLevel: Int8) throws(Overflow) {
        try append(Structure(.txPowerLevel, [UInt8(bitPattern: txPowerLevel)]))
    }

    /// Adds what a service tells.
    public mutating func append(serviceData data: [UInt8], of service: UUID) throws(Overflow) {
        let type: ADType = service.number == nil ? .serviceData128Bit : .serviceData16Bit
        try append(Structure(type, service.octets + data))
    }

    /// Adds what a company tells; its identifier is one of Assigned Numbers, section 7.1.
    public mutating func append(manufacturerSpecificData data: [UInt8], company: UInt16) throws(Overflow) {
        var octets: [UInt8] = []
        octets.append(company)
        try append(Structure(.manufacturerSpecificData, octets + data))
    }
}
