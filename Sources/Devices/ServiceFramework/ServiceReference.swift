import Bluetooth

extension ServiceDescription {
    /// The documentation of the service: its keys in a scenario, its values and characteristics, and a client's lines.
    package var reference: String {
        let fields = fields.flatMap(\.lines)
        let values = values.map { value in
            let characteristic = characteristics[value.characteristic]
            let path = value.name.isEmpty ? name : "\(name)/\(value.name)"
            let range = value.description.range.map { ", \($0.lowerBound) to \($0.upperBound)" } ?? ""
            let unit = value.description.unit.isEmpty ? "" : " \(value.description.unit)"
            let set = value.description.isSettable ? "" : ", follows from others"
            return "  \(path): \(characteristic.title) (\(characteristic.uuid))\(range)\(unit)\(set)"
        }
        return
            (["\(name) (\(uuid)): \(about)", "Fields:"] + fields + ["Values:"] + values
            + ["Lines of a client:"] + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    /// An example of a client's line for each key.
    private var lines: [String] {
        var keys: Set<String> = []
        return characteristics.map(\.client).filter { !$0.example.isEmpty && keys.insert($0.key).inserted }.map {
            "{\"\($0.key)\": \($0.example)}"
        }
    }

    /// The word in a scenario, with the field that selects the service.
    private var word: String {
        variant.map { "`\(name)` with `\"\($0.key)\": \"\($0.word)\"`" } ?? "`\(name)`"
    }

    package var row: String {
        let number = uuid.number == nil ? "" : "0x\(uuid): "
        return "| \(word) | \(number)\(about) |"
    }

    package var rowOfLines: String {
        "| \(word)\(isSought ? " *" : "") | \(lines.map { "`\($0)`" }.joined(separator: ", ")) |"
    }
}

extension FieldDescription {
    fileprivate var lines: [String] {
        let own = "  \"\(key)\"\(isRequired ? " (required)" : ""): \(about)"
        guard case .object(let fields) = form else { return [own] }
        return [own] + fields.flatMap(\.lines)
    }
}
