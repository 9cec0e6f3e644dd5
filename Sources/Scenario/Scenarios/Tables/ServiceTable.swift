import Characteristics
import Documents
import Services

extension Tables {
    static let service = Shape.kinds(
        key: "service", Service.Kind.allCases.map { .init($0.rawValue, [id] + fields(of: $0)) })

    private static let id = Shape.Field("id", .id, "Needed when the device has two services of this kind.")

    private static func value(_ shape: Shape, required: Bool = false, _ about: String) -> Shape.Field {
        .init("value", .any([shape, .definition("curve")]), required: required, about)
    }

    private static func fields(of kind: Service.Kind) -> [Shape.Field] {
        switch kind {
        case .healthThermometer:
            [
                value(.number(-273.15...1000), "In °C; 36.6 if it is left out."),
                .init(
                    "period", .duration,
                    "From measurement to measurement, which a client then can read and write; 1 s if it is left out."),
                .init("type", .name(HealthThermometer.Site.allCases.map(\.name)), "Where it measures."),
                .init("unit", .name(HealthThermometer.Unit.allCases.map(\.rawValue)), "Of what it says; celsius."),
                .init("store", .boolean, "Whether it keeps measurements while no client is there."),
            ]
        case .fitness:
            [
                .init("steps", .any([.number(0...4_294_967_295), .definition("curve")]), "Since the start."),
                .init("temperature", .any([.number(-273.15...327.67), .definition("curve")]), "In °C."),
                .init("daily_reset", .form(Forms.timeOfDay), "When a day begins; 00:00 if it is left out."),
                .init("period", .duration, "How often changes are sent; 1 s if it is left out."),
            ]
        case .ecg:
            [
                .init("as", .name(Electrocardiogram.Form.allCases.map(\.rawValue)), "As which service; ecg."),
                .init("rate", .rate, "Samples in a second, 1 to 4000; 500, as pmd 130."),
                .init(
                    "noise",
                    .object([
                        .init("mains", .rate, "The hum of the power line."),
                        .init("wander", .number(0...10), "Of the base line, in mV."),
                        .init("muscle", .number(0...10), "In mV."),
                    ]), "What is not the heart."),
                .init("lead", .any([.number(0...255), .definition("curve")]), "Its number; 1 if it is left out."),
            ]
        case .measurements:
            [
                .init("rate", .rate, required: true, "Values in a second, 1 to 4000."),
                value(.number(0...65535), required: true, "In bpm."),
            ]
        case .deviceInformation: informationKeys.map { .init($0, .text, "A string that can be read.") }
        case .custom:
            [
                .init("uuid", .uuid, required: true, "The service's."),
                .init("characteristics", .list(.object(characteristic)), required: true, "In the order of handles."),
            ]
        default: (kind.description?.fields ?? []).map(Shape.Field.init)
        }
    }

    static let informationKeys = ["manufacturer", "model", "serial", "hardware", "firmware", "software"]

    private static let characteristic: [Shape.Field] = [
        .init("id", .id, "What things call it."),
        .init("uuid", .uuid, required: true, "The characteristic's."),
        .init(
            "format", .name(ValueFormat.allCases.map(\.rawValue)),
            "How a value is encoded; utf8 for a string and uint8 for a number if it is left out."),
        .init(
            "properties", .list(.name(Custom.Characteristic.Property.allCases.map(\.rawValue)), count: 1...Int.max),
            required: true,
            "What a client may do."),
        .init(
            "permissions", .list(.name(Custom.Characteristic.Permission.allCases.map(\.rawValue))),
            "What a client needs."),
        .init("value", .definition("value"), "Its value."),
        .init("period", .duration, "How often it is sent; 1 s if it is left out."),
        .init("handle", .integer(1...65535), "Where its value stands; the next free one if it is left out."),
        .init(
            "descriptors",
            .list(
                .object([
                    .init("uuid", .uuid, required: true, "The descriptor's."),
                    .init(
                        "value", .any([.text, .integer(0...4_294_967_295)]), required: true,
                        "What can be read: octets, the text of a 2901, or a number in as few octets as hold it."),
                ])), "Besides those that its properties need."),
    ]
}

extension Shape.Field {
    /// What a description says of a key.
    init(_ field: FieldDescription) {
        let shape: Shape =
            switch field.form {
            case .curve(let range): .any([.number(range), .definition("curve")])
            case .duration: .duration
            case .flag: .boolean
            case .truth(let range), .derivedOrCurve(let range):
                .any([.boolean, .number(range), .definition("curve")])
            case .whole(let range): .integer(range)
            case .word(let words): .name(words)
            }
        self.init(field.key, shape, required: field.isRequired, field.about)
    }
}
