import Bluetooth
import Devices
import Documents
import GATT
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// The attributes of custom services.
@Suite struct AttributeTests {
    private static func reading(_ services: String) -> ScenarioFile.Reading {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "d", "services": [
            \(services)]}]}
            """
        return ScenarioFile.read("a.json") { _ in Array(text.utf8) }
    }

    private static func service(_ characteristic: String) -> String {
        #"{"service": "custom", "uuid": "1815", "characteristics": [{"uuid": "2A58", \#(characteristic)}]}"#
    }

    private static func definition(_ characteristic: String) throws -> CharacteristicDefinition {
        let reading = reading(service(characteristic))
        #expect(reading.problems.map(\.description) == [])
        let definition = try #require(reading.scenario?.devices.first?.services.first?.configured.attributes.definition)
        return try #require(definition.characteristics.first)
    }

    @Test func `Services can be secondary, include others, and have handles`() throws {
        let reading = Self.reading(
            #"""
            {"service": "custom", "id": "outer", "uuid": "1815", "handle": 100, "includes": ["heart_rate", "inner"],
             "characteristics": []},
            {"service": "custom", "id": "inner", "uuid": "1816", "secondary": true, "characteristics": []},
            {"service": "heart_rate"}
            """#)
        #expect(reading.problems.isEmpty && reading.warnings.isEmpty)
        let device = try #require(reading.scenario?.devices.first)
        let (outer, inner) = (device.services[0].configured.declaration, device.services[1].configured.declaration)
        #expect((outer.handle, outer.includes, outer.isSecondary) == (100, [2, 1], false))
        #expect((inner.handle, inner.includes, inner.isSecondary) == (nil, [], true))
        #expect(device.advertising.payload.services == [UUID(0x1815), UUID(0x180D)])
    }

    static let permissions: [(text: String, expected: AttributePermissions)] = [
        (#""properties": ["read", "write"]"#, [.readable, .writeable]),
        (
            #""properties": ["read", "write"], "permissions": ["encrypted"]"#,
            [.readable(needing: .encrypted), .writeable(needing: .encrypted)]
        ),
        (#""properties": ["read"], "permissions": ["authorized"]"#, .readable(needing: .authorized)),
        (
            #""properties": ["read", "write"], "permissions": {"write": ["authenticated"]}"#,
            [.readable, .writeable(needing: [.encrypted, .authenticated])]
        ),
        (#""properties": ["read", "write"], "permissions": {"read": false}"#, .writeable),
        (#""properties": ["notify"], "permissions": {"read": true, "write": []}"#, [.readable, .writeable]),
        (#""properties": ["signed_write"]"#, []),
        (
            #""properties": ["notify"], "permissions": ["encrypted"]"#,
            AttributePermissions(.notify, needing: .encrypted)
        ),
        (
            #""properties": ["read", "notify"], "permissions": {"read": ["encrypted"], "write": ["authorized"]}"#,
            [.readable(needing: .encrypted), .writeable(needing: .authorized)]
        ),
    ]

    @Test(arguments: permissions)
    func `Permissions follow from properties, or are those of each direction`(
        text: String, expected: AttributePermissions
    ) throws {
        #expect(try Self.definition(text).permissions == expected)
    }

    @Test func `Descriptors have permissions, handles and an order`() throws {
        let definition = try Self.definition(
            #"""
            "properties": ["read", "notify"], "permissions": ["encrypted"], "declaration_handle": 20, "handle": 22,
            "descriptors": [
              {"uuid": "2901", "value": "x", "permissions": {"write": true}}, {"uuid": "2902", "handle": 30},
              {"uuid": "2904", "value": "06000027010000", "permissions": {"read": false}}]
            """#)
        #expect((definition.declarationHandle, definition.handle) == (20, 22))
        #expect(
            definition.descriptors == [
                DescriptorDefinition(uuid: UUID(0x2901), permissions: [.readable, .writeable], value: [0x78]),
                DescriptorDefinition(
                    uuid: UUID(0x2902), permissions: [.readable, .writeable(needing: .encrypted)], value: nil,
                    handle: 30),
                DescriptorDefinition(uuid: UUID(0x2904), permissions: [], value: [6, 0, 0, 0x27, 1, 0, 0]),
            ])
    }

    @Test func `Bit fields of descriptors have two octets`() throws {
        let descriptors = try Self.definition(
            #"""
            "properties": ["read", "broadcast", "extended_properties"], "descriptors": [
              {"uuid": "2900", "value": 1}, {"uuid": "2903", "value": 0}, {"uuid": "2901", "value": 1}]
            """#
        ).descriptors
        #expect(descriptors.map(\.value) == [[1, 0], [0, 0], [1]])
    }

    static let deviations: [(service: String, warnings: [String])] = [
        (service(#""properties": ["read", "write"]"#), []),
        (
            service(#""properties": []"#),
            [
                "2:90: warning LD0191: devices[0].services[0].characteristics[0].properties: no client can use a characteristic "
            ]
        ),
        (
            service(#""properties": ["extended_properties"]"#),
            [
                "2:90: warning LD0191: devices[0].services[0].characteristics[0].properties: extended_properties requires a descriptor 2900 "
            ]
        ),
        (
            service(#""properties": ["read"], "descriptors": [{"uuid": "2900", "value": 1}]"#),
            [
                "2:125: warning LD0191: devices[0].services[0].characteristics[0].descriptors[0].uuid: a 2900 requires extended_properties "
            ]
        ),
        (
            service(
                #""properties": ["read", "extended_properties"], "descriptors": [{"uuid": "2900", "value": "01"}]"#),
            [
                "2:165: warning LD0191: devices[0].services[0].characteristics[0].descriptors[0].value: a 2900 has 2 octets, "
            ]
        ),
        (
            service(#""properties": ["read", "broadcast"]"#),
            [
                "2:90: warning LD0191: devices[0].services[0].characteristics[0].properties: broadcast requires a descriptor 2903 "
            ]
        ),
        (
            service(#""properties": ["read"], "permissions": {"read": false, "write": true}"#),
            [
                "2:115: warning LD0191: devices[0].services[0].characteristics[0].permissions: read is declared and not permitted "
            ]
        ),
        (
            service(#""properties": ["read"], "permissions": {"write": true}"#),
            [
                "2:115: warning LD0191: devices[0].services[0].characteristics[0].permissions: write is permitted and not declared "
            ]
        ),
        (service(#""properties": ["signed_write"], "permissions": {"write": true}"#), []),
        (
            #"{"service": "custom", "uuid": "1815", "secondary": true, "characteristics": []}"#,
            ["2:52: warning LD0191: devices[0].services[0].secondary: no other service includes this one, "]
        ),
        (
            #"{"service": "custom", "uuid": "1815", "includes": ["custom"], "characteristics": []}"#,
            ["2:51: warning LD0191: devices[0].services[0].includes: a service includes itself, "]
        ),
    ]

    @Test(arguments: deviations)
    func `Faults of real devices are warnings at their place`(service: String, warnings: [String]) {
        let reading = Self.reading(service)
        #expect(reading.problems.map(\.description) == [])
        #expect(reading.scenario != nil && reading.warnings.count == warnings.count, "\(reading.warnings)")
        for (warning, expected) in zip(reading.warnings, warnings) {
            #expect(warning.description.hasPrefix("a.json:\(expected)"), "\(warning)")
        }
    }
}
