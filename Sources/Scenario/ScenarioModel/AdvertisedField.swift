package import Characteristics
package import Devices

// Values in advertising data: Documentation/decisions/45-advertised-values.md.
extension Advertising {
    /// A part of service data or manufacturer data whose octets follow a value.
    package struct Field: Hashable, Sendable {
        /// Where its octets come from.
        package enum Source: Hashable, Sendable {
            case octets([UInt8])
            case curve(Curve)
            /// A value of the device: indices of ``Device/services`` and `Service.values`.
            case value(service: Int, value: Int)
        }

        /// Its name in `advertised`; nil: it is left out there.
        package var name: String?
        package var format: ValueFormat
        package var source: Source
        /// The number that is sent is the value multiplied by this.
        package var factor = 1.0

        package init(_ name: String?, _ format: ValueFormat, _ source: Source, factor: Double = 1) {
            (self.name, self.format, self.source, self.factor) = (name, format, source, factor)
        }

        /// Whether its octets can change.
        package var isChanging: Bool {
            switch source {
            case .octets, .curve(.constant): false
            case .curve, .value: true
            }
        }

        /// The length of its octets.
        package var count: Int { if case .octets(let octets) = source { octets.count } else { format.count ?? 0 } }

        /// The octets of a number, rounded to the nearest one that the format has, and the value that they mean.
        ///
        /// A value that is missing is sent as 0.
        package func encoded(_ number: Double?) -> (octets: [UInt8], value: Double?) {
            let range = format.range ?? 0...0
            let product = (number ?? 0) * factor
            let sent = product.isNaN ? 0 : min(max(product.rounded(), range.lowerBound), range.upperBound)
            return (format.octets(of: sent) ?? [], number.map { _ in sent / factor })
        }
    }

    /// What an action changes in the advertising data of a device.
    package struct Change: Hashable, Sendable {
        /// The new content under `keys`.
        package var payload: Payload
        package var keys: Set<Payload.Key>
        package var scanResponse: Payload?

        package init(_ payload: Payload, of keys: Set<Payload.Key>, scanResponse: Payload?) {
            (self.payload, self.keys, self.scanResponse) = (payload, keys, scanResponse)
        }

        package func applied(to advertising: Advertising) -> Advertising {
            var changed = advertising
            for key in Payload.Key.allCases where keys.contains(key) { changed.payload.take(key, from: payload) }
            if let scanResponse { changed.scanResponse = scanResponse }
            return changed
        }
    }

    /// The fields of the advertising data, and then those of the scan response data.
    package var fields: [Field] { payload.fields + (scanResponse?.fields ?? []) }

    /// The same with the octets of the fields, in the order of ``fields``.
    package func filled(with octets: [[UInt8]]) -> Advertising {
        var (filled, rest) = (self, octets[...])
        filled.payload.fill(from: &rest)
        filled.scanResponse?.fill(from: &rest)
        return filled
    }
}

extension Advertising.Payload {
    /// A part of the content.
    package enum Key: String, CaseIterable, Sendable {
        case services, appearance, octets
        case serviceData = "service_data"
        case manufacturerData = "manufacturer_data"
        case txPower = "tx_power"
    }

    package var fields: [Advertising.Field] { serviceData.flatMap(\.fields) + manufacturerData.flatMap(\.fields) }

    /// Takes a part of other content; the whole data as octets is then not what this contains.
    fileprivate mutating func take(_ key: Key, from other: Self) {
        octets = nil
        switch key {
        case .services: services = other.services
        case .appearance: appearance = other.appearance
        case .octets: self = other
        case .serviceData: serviceData = other.serviceData
        case .manufacturerData: manufacturerData = other.manufacturerData
        case .txPower: txPower = other.txPower
        }
    }

    fileprivate mutating func fill(from octets: inout ArraySlice<[UInt8]>) {
        func take(_ fields: [Advertising.Field], _ old: [UInt8]) -> [UInt8] {
            guard !fields.isEmpty else { return old }
            defer { octets = octets.dropFirst(fields.count) }
            return octets.prefix(fields.count).flatMap(\.self)
        }
        for index in serviceData.indices {
            serviceData[index].octets = take(serviceData[index].fields, serviceData[index].octets)
        }
        for index in manufacturerData.indices {
            manufacturerData[index].octets = take(manufacturerData[index].fields, manufacturerData[index].octets)
        }
    }
}

extension Scenario {
    /// Whether a device, or a rule, advertises values.
    package var advertisesValues: Bool {
        devices.contains { !$0.advertising.fields.isEmpty }
            || script.contains { rule in
                guard case .changeAdvertising(let change) = rule.action.operation else { return false }
                return !change.payload.fields.isEmpty || change.scanResponse?.fields.isEmpty == false
            }
    }
}
