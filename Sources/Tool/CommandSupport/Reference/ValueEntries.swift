import Basics
import Characteristics
import Devices
import Documents
import GATT
import ScenarioLanguage

extension ReferenceGroup {
    /// The values of a service, each with its path.
    static func values(of service: ServiceDescription) -> [ReferenceEntry] {
        service.values.map { value in
            let path = value.name.isEmpty ? service.name : "\(service.name)/\(value.name)"
            let example = example(of: value, path, in: service)
            let file = service.example ?? [:]
            return ReferenceEntry(
                .values, path, "value", about(value, in: service), facts: facts(of: value), example: example
            ) {
                [Stage.service(file, script: [example["do"] == nil ? rule(when: example) : example])]
            }
        }
    }

    private static func about(_ value: ServiceValue, in service: ServiceDescription) -> String {
        let characteristic = service.characteristics[value.characteristic]
        let name = "\(characteristic.title) (\(characteristic.uuid))"
        let variant = service.variant.map { ", with \"\($0.key)\": \"\($0.word)\"" } ?? ""
        let label = value.description.label.isEmpty ? value.name : value.description.label
        return value.isCarried ? "A part of \(name)\(variant): \(label)." : "\(name)\(variant).".sentence
    }

    private static func facts(of value: ServiceValue) -> [ReferenceEntry.Fact] {
        let description = value.description
        let unit = description.unit.isEmpty ? "" : " \(description.unit)"
        let content =
            switch description.content {
            case .number(let range): "a number from \(range.lowerBound.plain) to \(range.upperBound.plain)\(unit)"
            case .truth: "true or false"
            case .word(let words, _): "one of \(words.joined(separator: ", "))"
            case .text: "a string"
            case .numbers: "a list of numbers\(unit.isEmpty ? "" : ", in\(unit)")"
            case .structure, .custom: "octets"
            }
        return [
            .init("type", content), .init("properties", value.properties.operations.joined(separator: ", ")),
            .init("set", description.isSettable ? "yes" : "no, it follows from others"),
        ] + (description.field.map { [.init("needs", "\($0.quoted) in the service")] } ?? [])
    }

    /// A rule that sets the value or, if it cannot be set, an event of it.
    private static func example(of value: ServiceValue, _ path: String, in service: ServiceDescription) -> Node {
        guard value.description.isSettable, let sample = sample(of: value, in: service) else {
            let properties = value.properties
            let event: Node.Value =
                properties.contains(.notify)
                ? "notified"
                : properties.contains(.indicate) ? "indicated" : properties.contains(.read) ? "read" : "written"
            return ["event": event, "of": .string(path)]
        }
        return ["when": "10 s", "do": "set", "of": .string(path), "to": sample]
    }

    private static func rule(when event: Node) -> Node {
        ["when": event.value, "do": "disconnect", "of": "strap"]
    }

    private static func sample(of value: ServiceValue, in service: ServiceDescription) -> Node.Value? {
        switch value.description.content {
        case .truth: return false
        case .word(let words, _): return words.last.map { .string($0) }
        case .text: return "Other"
        case .number(let range):
            if case .number(let text)? = service.example?[value.name.isEmpty ? "value" : value.name]?.value {
                return .number(text)
            }
            return Node.Value(floatLiteral: min(max(range.lowerBound, 40), range.upperBound))
        case .numbers, .structure, .custom: return nil
        }
    }
}

extension CharacteristicProperties {
    /// The operations of a client: `read`, `notify`.
    fileprivate var operations: [String] {
        let all: [(CharacteristicProperties, String)] = [
            (.read, "read"), (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
