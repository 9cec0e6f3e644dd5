import Basics
import Characteristics
import Devices
package import Documents
import ScenarioModel
import Services

extension Tables {
    package static let service = Shape.kinds(
        key: "service",
        ServiceRegistry.all.filter { $0.variant == nil }.map { service in
            .init(
                service.name, about: service.about.sentence, example: service.example,
                [id, servicePermissions] + service.fields.map(Shape.Field.init))
        } + [
            .init(
                custom, about: "Any service that you define, also with the mistakes of real devices.",
                example: [
                    "service": "custom", "uuid": "7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30",
                    "characteristics": [
                        [
                            "id": "level", "uuid": "7d1c0002-5b0e-4c43-9a57-2f6b8e1d9c30", "format": "uint8",
                            "properties": ["read", "write", "notify"], "value": 40, "period": "2 s",
                        ]
                    ],
                ], [id] + customFields)
        ])

    /// The word for a service that the file describes.
    static let custom = "custom"

    static func hasService(named word: String) -> Bool {
        word == custom || ServiceRegistry.service(named: word) != nil
    }

    private static let id = Shape.Field(
        "id", .id, standard: .words("the word under \"service\""), example: "left",
        "Its name in paths; required if the device has two services of this kind.")

    private static let servicePermissions = Shape.Field(
        "permissions", security, standard: .words("none"), example: ["encrypted"],
        "The security that access to its values needs.")

    private static let customFields: [Shape.Field] = [
        .init("uuid", .uuid, required: true, "UUID of the service."),
        .init(
            "secondary", .boolean, standard: false, example: true,
            "Whether it is a secondary service, which clients find only by includes."),
        .init(
            "handle", .handle, standard: .words("the next free one"), example: 256, "Handle of its declaration."),
        .init(
            "includes", .list(.id), example: ["battery"],
            "The services that it includes: ids of services of this device."),
        .init(
            "characteristics", .list(.object(characteristic)), required: true,
            "The characteristics, in the order of their handles."),
    ]

    private static let characteristic: [Shape.Field] = [
        .init("id", .id, standard: .words("its UUID"), "Its name in paths."),
        .init("uuid", .uuid, required: true, "UUID of the characteristic."),
        .init(
            "format", .name(ValueFormat.allCases.map(\.rawValue)),
            standard: .words("utf8 for a string, uint8 for a number, octets for a recording"), "Encoding of the value."),
        .init(
            "properties", .list(.name(PropertyWord.allCases.map(\.rawValue))), required: true,
            "The properties that it is declared with; [] for none."),
        .init(
            "permissions", permissions, example: ["write": ["encrypted"]],
            "The security that its properties need, none by default; or the access of each direction."),
        .init("value", .definition("value"), "The initial value."),
        .init("period", .duration, standard: "1 s", "Notification interval."),
        .init(
            "recording", .path, example: "strap.csv",
            "A CSV file of values to notify instead, with their times, as record writes it; its path is relative to this file."
        ),
        .init(
            "declaration_handle", .handle, standard: .words("the next free one"), example: 272,
            "Handle of its declaration."),
        .init("handle", .handle, standard: .words("the next free one"), example: 280, "Handle of its value."),
        .init(
            "descriptors", .list(.object(descriptor)), example: [["uuid": "2901", "value": "Brightness"]],
            "Descriptors in addition to those that its properties require, in the order of their handles."),
    ]

    private static let descriptor: [Shape.Field] = [
        .init(
            "uuid", .uuid, required: true,
            "UUID of the descriptor; 2902 gives the Client Characteristic Configuration another place than the first."),
        .init(
            "value", .any([.text, .integer(0...4_294_967_295)]),
            "The value: octets, the text of a 2901, or a number in as few octets as possible; required, except for a 2902."
        ),
        .init(
            "permissions", permissions, example: ["write": true],
            "The security that reading needs, none by default; or the access of each direction."),
        .init("handle", .handle, standard: .words("the next free one"), example: 290, "Its handle."),
    ]

    private static let permissions = Shape.any([
        security,
        .object([
            .init("read", access, standard: asDeclared, example: false, accessAbout),
            .init("write", access, standard: asDeclared, example: ["encrypted"], accessAbout),
        ]),
    ])
    private static let asDeclared = Shape.Standard.words("as declared")
    private static let access = Shape.any([.boolean, security])
    private static let accessAbout = "Whether it is permitted, or the security that it needs."
    private static let security = Shape.list(.name(PermissionWord.allCases.map(\.rawValue)))
}

extension Shape {
    fileprivate static let handle = Shape.integer(1...65535)
}

extension Shape.Field {
    init(_ field: FieldDescription) {
        self.init(
            field.name, Shape(field.form), required: field.isRequired,
            standard: field.written.map(Shape.Standard.value),
            field.about)
    }
}

extension FieldDescription {
    /// The default as a scenario would write it; nil without one.
    fileprivate var written: Node? {
        switch standard {
        case .curve(.constant(let number))?, .number(let number)?: Node(floatLiteral: number)
        case .duration(let duration)?:
            Node(.string(form == .timeOfDay ? Units.text(timeOfDay: duration) : Units.text(duration)))
        case .flag(let flag)?: Node(booleanLiteral: flag)
        case .whole(let number)?: Node(integerLiteral: number)
        case .word(let word)?: Node(.string(word))
        case .curve?, .characteristics?, nil: nil
        }
    }
}

extension Shape {
    fileprivate init(_ form: FieldDescription.Form) {
        switch form {
        case .curve(let range): self = .any([.number(range), .definition("curve")])
        case .duration: self = .duration
        case .timeOfDay: self = .form(Forms.timeOfDay)
        case .flag: self = .boolean
        case .truth(let range), .derivedOrCurve(let range):
            self = .any([.boolean, .number(range), .definition("curve")])
        case .whole(let range): self = .integer(range)
        case .number(let range): self = .number(range)
        case .rate: self = .rate
        case .word(let words): self = .name(words)
        case .text: self = .text
        case .object(let fields): self = .object(fields.map(Field.init))
        }
    }
}
