import Characteristics
import Documents
import Scenarios
import ServiceFramework
import Services

extension Tables {
    static let service = Shape.kinds(
        key: "service",
        ServiceRegistry.all.filter { $0.variant == nil }.map { service in
            .init(service.name, [id, servicePermissions] + service.fields.map(Shape.Field.init))
        } + [.init(custom, [id] + customFields)])

    /// The word for a service that the file describes.
    static let custom = "custom"

    static func hasService(named word: String) -> Bool {
        word == custom || ServiceRegistry.service(named: word) != nil
    }

    private static let id = Shape.Field(
        "id", .id, "Its name in paths; required if the device has two services of this kind.")

    private static let servicePermissions = Shape.Field(
        "permissions", security, "The security that access to its values needs; none by default.")

    private static let customFields: [Shape.Field] = [
        .init("uuid", .uuid, required: true, "UUID of the service."),
        .init("secondary", .boolean, "Whether it is a secondary service, which clients find only by includes."),
        .init("handle", .handle, "Handle of its declaration; the next free one by default."),
        .init("includes", .list(.id), "The services that it includes: ids of services of this device."),
        .init(
            "characteristics", .list(.object(characteristic)), required: true,
            "The characteristics, in the order of their handles."),
    ]

    private static let characteristic: [Shape.Field] = [
        .init("id", .id, "Its name in paths; its UUID by default."),
        .init("uuid", .uuid, required: true, "UUID of the characteristic."),
        .init(
            "format", .name(ValueFormat.allCases.map(\.rawValue)),
            "Encoding of the value; by default utf8 for a string and uint8 for a number."),
        .init(
            "properties", .list(.name(CustomReader.Property.allCases.map(\.rawValue))), required: true,
            "The properties that it is declared with; [] for none."),
        .init(
            "permissions", permissions,
            "The security that its properties need, none by default; or the access of each direction."),
        .init("value", .definition("value"), "The initial value."),
        .init("period", .duration, "Notification interval; 1 s by default."),
        .init("declaration_handle", .handle, "Handle of its declaration; the next free one by default."),
        .init("handle", .handle, "Handle of its value; the next free one by default."),
        .init(
            "descriptors", .list(.object(descriptor)),
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
            "permissions", permissions,
            "The security that reading needs, none by default; or the access of each direction."),
        .init("handle", .handle, "Its handle; the next free one by default."),
    ]

    private static let permissions = Shape.any([
        security, .object([.init("read", access, accessAbout), .init("write", access, accessAbout)]),
    ])
    private static let access = Shape.any([.boolean, security])
    private static let accessAbout =
        "Whether it is permitted, or the security that it needs; as declared by default."
    private static let security = Shape.list(.name(CustomReader.Permission.allCases.map(\.rawValue)))
}

extension Shape {
    fileprivate static let handle = Shape.integer(1...65535)
}

extension Shape.Field {
    init(_ field: FieldDescription) {
        self.init(field.name, Shape(field.form), required: field.isRequired, field.about)
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
