extension ServiceDescription {
    /// What people read about it: what a scenario can say, what can be named, and what a client prints.
    public var reference: String {
        let fields = fields.map { "  \"\($0.key)\"\($0.isRequired ? " (required)" : ""): \($0.about)" }
        let values = values.map { value in
            let characteristic = characteristics[value.characteristic]
            let path = value.description.name.isEmpty ? name : "\(name)/\(value.description.name)"
            let range = value.description.range.map { ", \($0.lowerBound) to \($0.upperBound)" } ?? ""
            let unit = value.description.unit.isEmpty ? "" : " \(value.description.unit)"
            let set = value.description.isSettable ? "" : ", follows from others"
            return "  \(path): \(characteristic.title) (\(characteristic.uuid))\(range)\(unit)\(set)"
        }
        let lines = characteristics.filter { $0.client.worth > .nothing }.map { characteristic in
            "  {\"\(characteristic.client.key)\": \u{2026}}" + (characteristic.client.isMeasurement ? ", measured" : "")
        }
        return (["\(name) (\(uuid))", "Fields:"] + fields + ["Values:"] + values + ["Lines of a client:"] + lines)
            .joined(separator: "\n")
    }
}
