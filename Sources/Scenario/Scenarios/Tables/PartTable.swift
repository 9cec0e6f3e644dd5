import Characteristics
import GATT
import Services

// What can be done with the parts of services.
extension Tables {
    /// The parts of a service that can be named, and the key that brings each about; nil: it is always there.
    static func parts(of kind: Service.Kind) -> [(part: Part, key: String?)] {
        switch kind {
        case .healthThermometer:
            [
                (Part(name: "", role: .value, properties: .indicate), nil),
                (Part(name: "intermediate", role: .named, properties: .notify), nil),
                (Part(name: "type", role: .named, properties: .read), "type"),
                (Part(name: "interval", role: .named, properties: [.read, .write, .indicate]), "period"),
            ]
        case .fitness:
            [
                (Part(name: "steps", role: .named, properties: [.read, .notify]), "steps"),
                (Part(name: "steps_today", role: .named, properties: [.read, .notify]), "steps"),
                (Part(name: "temperature", role: .named, properties: .read), "temperature"),
            ]
        case .ecg:
            [
                (Part(name: "samples", role: .value, properties: .notify), nil),
                (Part(name: "lead", role: .named, properties: .notify), nil),
                (Part(name: "description", role: .named, properties: .read), nil),
            ]
        case .measurements: [(Part(name: "", role: .value, properties: .notify), nil)]
        case .deviceInformation:
            informationKeys.map { (Part(name: $0, role: .named, properties: .read), $0) }
        default: []
        }
    }

    /// The description of a part; nil for one of a service that has none yet.
    static func description(of part: Part, in kind: Service.Kind) -> ValueDescription? {
        kind.description?.value(named: part.name)?.description
    }

    /// The numbers that a part can have; nil where that is not known.
    static func range(of part: Part, in kind: Service.Kind) -> ClosedRange<Double>? {
        if let description = description(of: part, in: kind) { return description.range }
        return undescribedRange(of: part, in: kind)
    }

    private static func undescribedRange(of part: Part, in kind: Service.Kind) -> ClosedRange<Double>? {
        switch (kind, part.name) {
        case (.measurements, _): 0...65535
        case (.healthThermometer, ""): -273.15...1000
        case (.healthThermometer, "interval"): 1...65535
        case (.fitness, "temperature"): -273.15...327.67
        case (.fitness, _): 0...4_294_967_295
        case (.ecg, "lead"): 0...255
        case (.ecg, "samples"): -32768...32767
        default: nil
        }
    }

    /// What Polar Measurement Data has in place of the parts of an ECG service.
    static let pmdParts = [
        Part(name: "samples", role: .value, properties: .notify),
        Part(name: "control_point", role: .named, properties: [.read, .write, .indicate]),
    ]

    /// The words that a part can be; nil for one that is no such word.
    static func names(of part: Part, in kind: Service.Kind) -> [String]? {
        if let description = description(of: part, in: kind) { return description.words }
        return switch (kind, part.name) {
        case (.healthThermometer, "type"): HealthThermometer.Site.allCases.map(\.name)
        default: nil
        }
    }

    /// Whether a script can take a part over; the others follow from what can be.
    static func isSettable(_ part: Part, in kind: Service.Kind) -> Bool {
        if let description = description(of: part, in: kind) { return description.isSettable }
        return switch (kind, part.name) {
        case (.healthThermometer, "intermediate"),
            (.fitness, "steps_today"):
            false
        case (.ecg, let name): name == "lead"
        default: true
        }
    }

    /// Whether the values of a part are numbers; those of the others are text, lists, objects, or true and false.
    static func isNumber(_ place: Int, of service: Service) -> Bool {
        if let description = description(of: service.parts[place], in: service.kind) { return description.isNumber }
        return switch (service.content, service.parts[place].name) {
        case (.custom(let custom), _): custom.characteristics[place].format.range != nil
        case (.deviceInformation, _),
            (.healthThermometer, "type"), (.ecg, "description"), (.ecg, "control_point"):
            false
        default: true
        }
    }

    /// Whether a part is sent within the value of another.
    static func isCarried(_ part: Part, in kind: Service.Kind) -> Bool {
        if let id = kind.description?.value(named: part.name)?.id { return id != id.characteristicValue }
        return switch (kind, part.name) {
        case (.ecg, "lead"): true
        default: false
        }
    }

    /// How many attributes a part has: declaration, value, configuration, and a descriptor where the service has one.
    static func attributes(of part: Part, in service: Service) -> Int {
        guard !isCarried(part, in: service.kind) else { return 0 }
        let isTold = !part.properties.isDisjoint(with: [.notify, .indicate])
        return 2 + (isTold ? 1 : 0) + (hasDescriptor(part, in: service) ? 1 : 0)
    }

    /// Lubdub's own have a User Description, and an interval that can be written has its Valid Range.
    private static func hasDescriptor(_ part: Part, in service: Service) -> Bool {
        switch service.content {
        case .described(let description, _):
            description.value(named: part.name).map {
                description.characteristics[$0.characteristic].userDescription != nil
            } ?? false
        case .fitness, .measurements: true
        case .ecg(let ecg): ecg.form == .ecg
        case .healthThermometer: part.name == "interval"
        default: false
        }
    }
}

extension Custom.Characteristic.Property {
    /// What it allows; a command is a write.
    var properties: Part.Properties {
        switch self {
        case .read: .read
        case .write, .writeCommand: .write
        case .notify: .notify
        case .indicate: .indicate
        }
    }
}
