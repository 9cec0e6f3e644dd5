package import ATT

extension Procedure.Outcome {
    /// The services that were found; nil for another outcome.
    package var services: [DiscoveredService]? { if case .services(let found) = self { found } else { nil } }

    /// The included services that were found; nil for another outcome.
    package var included: [IncludedService]? { if case .included(let found) = self { found } else { nil } }

    /// The characteristics that were found; nil for another outcome.
    package var characteristics: [DiscoveredCharacteristic]? {
        if case .characteristics(let found) = self { found } else { nil }
    }

    /// The descriptors that were found; nil for another outcome.
    package var descriptors: [AttributeType]? { if case .descriptors(let found) = self { found } else { nil } }

    /// The value that was read; nil for another outcome.
    package var value: [UInt8]? { if case .value(let value) = self { value } else { nil } }
}
