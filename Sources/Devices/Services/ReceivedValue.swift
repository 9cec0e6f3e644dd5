public import Octets
public import Spelling

/// A value that a client has got, and whose octets can be read.  It is worded when a line is written.
///
/// It names its characteristic by numbers: a description has many parts, and would be counted at each copy.
public struct ReceivedValue: Hashable, Sendable {
    private let id: CharacteristicID
    private let octets: [UInt8]?

    /// A value of a characteristic; throws for octets that cannot be read.
    public init(_ octets: ArraySlice<UInt8>, of id: CharacteristicID) throws(Malformed) {
        try id.format.check(octets)
        (self.id, self.octets) = (id, Array(octets))
    }

    /// That the last value is not true any more.
    public init(expired id: CharacteristicID) { (self.id, octets) = (id, nil) }

    /// Of which characteristic it is.
    public var characteristic: CharacteristicDescription { id.description }

    /// Whether a sensor measured it.
    public var isMeasurement: Bool { octets != nil && id.description.client.isMeasurement }

    /// For people.
    public var words: String {
        guard let octets else { return "no \(id.description.client.key.split(separator: "_").joined(separator: " "))" }
        return (try? id.format.words(octets[...])) ?? ""
    }

    /// What a row of a screen shows of it; nil for none.
    public func number(of fact: ScreenFact) -> Double? {
        guard let octets else { return nil }
        return (try? id.format.number(octets[...], of: fact.key)) ?? nil
    }
}

extension ReceivedValue: JSONWritable {
    /// Adds the value; `null` when it is not true any more.
    public func write(to text: inout JSONText) {
        guard let octets else { return text.append("null") }
        do throws(Malformed) { try id.format.write(octets[...], to: &text) } catch { text.append("null") }
    }
}

/// A characteristic of a service in the registry.
public struct CharacteristicID: Hashable, Sendable {
    private let service: UInt8
    private let place: UInt8

    /// A characteristic of one of the registry's services, both by their numbers.
    public init(service: Int, place: Int) { (self.service, self.place) = (UInt8(service), UInt8(place)) }

    /// A characteristic of a service; nil when the registry has none of that name.
    public init?(_ service: ServiceDescription, place: Int) {
        guard let number = ServiceRegistry.all.firstIndex(of: service) else { return nil }
        self.init(service: number, place: place)
    }

    /// What it is.
    public var description: CharacteristicDescription {
        ServiceRegistry.all[Int(service)].characteristics[Int(place)]
    }

    /// What its octets mean, without a copy of all the rest.
    var format: any CharacteristicValue.Type { ServiceRegistry.all[Int(service)].characteristics[Int(place)].format }
}
