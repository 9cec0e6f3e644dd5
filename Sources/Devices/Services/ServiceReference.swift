extension ServiceDescription {
    /// The service for people: the keys of a scenario, the values with their characteristics, and a client's lines.
    public var reference: String {
        let fields = fields.flatMap(\.lines)
        let values = values.map { value in
            let characteristic = characteristics[value.characteristic]
            let path = value.name.isEmpty ? name : "\(name)/\(value.name)"
            let range = value.description.range.map { ", \($0.lowerBound) to \($0.upperBound)" } ?? ""
            let unit = value.description.unit.isEmpty ? "" : " \(value.description.unit)"
            let set = value.description.isSettable ? "" : ", follows from others"
            return "  \(path): \(characteristic.title) (\(characteristic.uuid))\(range)\(unit)\(set)"
        }
        let lines = characteristics.filter { $0.client.importance > .none }.map { characteristic in
            "  {\"\(characteristic.client.key)\": \u{2026}}" + (characteristic.client.isMeasurement ? ", measured" : "")
        }
        return (["\(name) (\(uuid))", "Fields:"] + fields + ["Values:"] + values + ["Lines of a client:"] + lines)
            .joined(separator: "\n")
    }
}

extension FieldDescription {
    fileprivate var lines: [String] {
        let own = "  \"\(key)\"\(isRequired ? " (required)" : ""): \(about)"
        guard case .object(let fields) = form else { return [own] }
        return [own] + fields.flatMap(\.lines)
    }
}
