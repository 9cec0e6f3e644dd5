import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import Services
import Testing

@Suite struct CustomTests {
    private static let first: UInt16 = 0x0010

    /// One characteristic of a custom service: 000F declaration, 0010 value, 0011 CCCD.
    private static func device(
        _ format: ValueFormat, _ initial: CustomCharacteristic.Initial,
        properties: CharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify],
        rejectsShortWrites: Bool = false, _ change: (inout CustomCharacteristic) -> Void = { _ in }
    ) throws -> Wearer {
        var characteristic = CustomCharacteristic(
            "value", uuid: UUID(0x2A58), format: format, properties: properties, initial: initial)
        change(&characteristic)
        var definition = PeripheralDefinition(
            name: "Strap", appearance: .heartRateBelt, services: [.custom(UUID(0x1815), [characteristic])])
        definition.rejectsShortWrites = rejectsShortWrites
        return try Wearer(definition)
    }

    static let numbers: [(format: ValueFormat, wanted: Double, octets: String)] = [
        (.uint8, 0, "00"), (.uint8, 254.9, "FE"), (.uint8, 255, "FF"), (.uint8, 256, "FF"), (.uint8, -1, "00"),
        (.uint8, .nan, "00"), (.uint16, 258, "02 01"), (.uint16, 70000, "FF FF"), (.uint16, -70000, "00 00"),
        (.uint16, .infinity, "FF FF"), (.uint32, 16_909_060, "04 03 02 01"), (.uint32, 4_294_967_296, "FF FF FF FF"),
        (.uint32, 1e300, "FF FF FF FF"), (.uint32, -1e300, "00 00 00 00"), (.sint16, -1, "FF FF"),
        (.sint16, -1.5, "FE FF"), (.sint16, 32767, "FF 7F"), (.sint16, 32768, "FF 7F"), (.sint16, -32768, "00 80"),
        (.sint16, -32769, "00 80"), (.sint16, 1e300, "FF 7F"), (.sint16, -.infinity, "00 80"), (.sint16, .nan, "00 00"),
    ]

    @Test(arguments: numbers)
    func `A number never wraps around`(format: ValueFormat, wanted: Double, octets: String) throws {
        var device = try Self.device(format, .curve(.constant(wanted)))
        device.device.didSubscribe(to: Self.first, at: .start)
        #expect(device.read(Self.first) == hex(octets))
        #expect(device.notified(until: at(2)).map(\.octets) == [hex(octets), hex(octets)])
        #expect(device.device.saturatedValues.isEmpty == (format.range?.contains(wanted) == true))
        #expect(device.pool.taken == 0)
    }

    static let writes: [(format: ValueFormat, written: String, error: UInt8?, read: String)] = [
        (.uint8, "07", nil, "07"), (.uint8, "", nil, "05"), (.uint8, "07 00", 0x0D, "05"),
        (.uint16, "07 00", nil, "07 00"), (.uint16, "07", nil, "07 05"), (.uint16, "", nil, "05 05"),
        (.uint32, "01 02 03 04", nil, "01 02 03 04"), (.uint32, "01 02 03", nil, "01 02 03 05"),
        (.sint16, "00 80", nil, "00 80"), (.sint16, "00 80 00", 0x0D, "05 05"),
        (.utf8, "", nil, ""), (.utf8, "61 62", nil, "61 62"), (.octets, "", nil, ""),
        (.octets, "FF 00 FF", nil, "FF 00 FF"),
    ]

    @Test(arguments: writes)
    func `A short write changes the first octets of a number`(
        format: ValueFormat, written: String, error: UInt8?, read: String
    ) throws {
        for rejectsShortWrites in [false, true] {
            var device = try Self.device(format, Self.fives(format), rejectsShortWrites: rejectsShortWrites)
            let before = device.read(Self.first)
            let isRejected = rejectsShortWrites && hex(written).count < format.count ?? 0
            #expect(device.write(hex(written), to: Self.first) == (isRejected ? 0x0D : error))
            #expect(device.read(Self.first) == (isRejected ? before : hex(read)))
        }
    }

    /// 0x05 in each octet of a number.
    private static func fives(_ format: ValueFormat) -> CustomCharacteristic.Initial {
        guard let count = format.count else { return .octets([0x05]) }
        return .curve(.constant((0..<count).reduce(0) { sum, _ in sum * 256 + 5 }))
    }

    @Test func `A client's write is notified, and returns when a script ends its override`() throws {
        var device = try Self.device(.uint8, .curve(.constant(1)))
        let part = DeviceValue(service: 0, .custom0)
        try device.set(part, to: Signal(2), at: at(1))
        #expect(device.read(Self.first, at: at(1)) == [2])
        #expect(device.answer(hex("52 10 00 03"), at: at(2)) == [])
        #expect(device.read(Self.first, at: at(2)) == [3])
        try device.set(part, to: Signal(.ramp(start: 10, end: 20, over: .seconds(10))), at: at(3), begun: at(1))
        #expect(device.read(Self.first, at: at(3)) == [12])
        try device.set(part, to: nil, at: at(4))
        device.device.didSubscribe(to: Self.first, at: at(4))
        #expect(device.notified(from: at(4), until: at(5)).map(\.octets) == [[3]])
    }

    @Test func `An overridden curve continues in the background`() throws {
        var device = try Self.device(.uint8, .curve(.step(start: 0, by: 1, period: .seconds(1))))
        try device.set(DeviceValue(service: 0, .custom0), to: Signal(99), at: at(2))
        #expect(device.read(Self.first, at: at(3)) == [99])
        try device.set(DeviceValue(service: 0, .custom0), to: nil, at: at(5))
        #expect(device.read(Self.first, at: at(7)) == [7])
    }

    @Test func `Numbers take numbers, and text takes text`() throws {
        let part = DeviceValue(service: 0, .custom0)
        var number = try Self.device(.uint8, .curve(.constant(1)))
        #expect(number.takes(.octets([1]), for: part, at: .start) == false)
        var text = try Self.device(.utf8, .octets(Array("é".utf8)))
        #expect(text.takes(.signal(Signal(1)), for: part, at: .start) == false)
        #expect(text.takes(.octets(Array("long".utf8)), for: part, at: .start) == true)
        #expect(text.read(Self.first) == Array("long".utf8))
        #expect(text.takes(.signal(Signal(1)), for: DeviceValue(service: 0, .custom1), at: .start) == false)
        #expect(text.takes(.signal(Signal(1)), for: DeviceValue(service: 0, .none), at: .start) == false)
    }

    @Test func `A value has 512 octets at most`() throws {
        var device = try Self.device(.octets, .octets(Array(repeating: 7, count: 600)))
        _ = device.answer(hex("02 05 02"))
        #expect(device.read(Self.first)?.count == 512)
        #expect(
            device.takes(
                .octets(Array(repeating: 8, count: 60_000)), for: DeviceValue(service: 0, .custom0), at: .start)
                == true)
        device.device.didSubscribe(to: Self.first, at: .start)
        #expect(device.notified(until: at(1), mtu: 23).map(\.octets.count) == [512])
    }

    @Test func `It is notified each period, while its curve continues`() throws {
        var device = try Self.device(.uint8, .curve(.list([1, 2], period: .seconds(1), then: .stop))) {
            $0.period = .milliseconds(250)
        }
        device.device.didSubscribe(to: Self.first, at: at(0.6))
        let told = device.notified(until: at(9))
        #expect(told.map(\.time) == [at(0.75), at(1), at(1.25), at(1.5), at(1.75)])
        #expect(told.map(\.octets) == [[1], [2], [2], [2], [2]])
        #expect(device.read(Self.first, at: at(9)) == [])
    }

    @Test func `Descriptors and fixed handles are where they are wanted`() throws {
        var device = try Self.device(.uint8, .curve(.constant(5)), properties: [.read, .indicate]) {
            $0.handle = 0x0100
            $0.descriptors = [
                DescriptorDefinition(uuid: .characteristicUserDescription, value: Array("Five".utf8)),
                DescriptorDefinition(uuid: UUID(0x2904), value: hex("04 00 00 27 01 00 00")),
            ]
        }
        #expect(device.answer(hex("08 0E 00 FF FF 03 28")) == hex("09 07 0F 00 22 00 01 58 2A"))
        #expect(device.answer(hex("04 01 01 FF FF")) == hex("05 01 01 01 02 29 02 01 01 29 03 01 04 29"))
        #expect(device.read(0x0100) == [5])
        #expect(device.read(0x0102) == Array("Five".utf8))
        #expect(device.read(0x0103) == hex("04 00 00 27 01 00 00"))
        #expect(device.device.indicates(0x0100))
    }

    @Test func `A descriptor that can be written keeps its value when it moves`() throws {
        var device = try Self.device(.uint8, .curve(.constant(5)), properties: .read) {
            $0.descriptors = [
                DescriptorDefinition(
                    uuid: .characteristicUserDescription, permissions: [.readable, .writeable],
                    value: Array("Five".utf8)),
                DescriptorDefinition(uuid: UUID(0x2904), permissions: .writeable, value: hex("04 00 00 27 01 00 00")),
            ]
        }
        #expect(device.read(0x0011) == Array("Five".utf8))
        #expect(device.write(Array("V".utf8), to: 0x0011) == nil)
        #expect(device.read(0x0011) == Array("V".utf8))
        #expect(device.answer(hex("0A 12 00")) == hex("01 0A 12 00 02"), "Read Not Permitted")
        device.device.adopt(try device.device.table(movedBy: 0x10), at: at(1))
        #expect(device.read(0x0021, at: at(1)) == Array("V".utf8))
    }

    @Test func `A service includes others by their places in the definition`() throws {
        let secondary: ConfiguredService = {
            var service = ConfiguredService.custom(UUID(0x1816), [])
            service.declaration.isSecondary = true
            return service
        }()
        var primary = ConfiguredService.custom(UUID(0x1815), [])
        (primary.declaration.includes, primary.declaration.handle) = ([1], 0x0020)
        var device = try Wearer(
            PeripheralDefinition(name: "Strap", appearance: .heartRateBelt, services: [primary, secondary]))
        #expect(device.answer(hex("08 20 00 FF FF 02 28")) == hex("09 08 21 00 22 00 22 00 16 18"))
        #expect(device.answer(hex("10 20 00 FF FF 00 28")) == hex("11 06 20 00 21 00 15 18"))
    }

    @Test func `A handle that is taken is an error`() {
        #expect(throws: AttributeTable.DefinitionError.handleTaken(0x000F, lowestFree: 0x0010)) {
            try Self.device(.uint8, .curve(.constant(5))) { $0.handle = 0x000F }
        }
    }
}

@Suite struct InformationTests {
    @Test func `A script changes strings, and gives them back`() throws {
        var strap = try Wearer(.deviceInformation([(.manufacturer, "Lubdub"), (.model, "1")]))
        let model = DeviceValue(service: 0, .model)
        #expect(strap.takes(.octets(Array("Zwei".utf8)), for: model, at: at(1)) == true)
        #expect(strap.read(0x0010, at: at(1)) == Array("Lubdub".utf8))
        #expect(strap.read(0x0012, at: at(1)) == Array("Zwei".utf8))
        #expect(strap.takes(.signal(Signal(1)), for: model, at: at(1)) == false)
        #expect(strap.takes(nil, for: model, at: at(2)) == true)
        #expect(strap.read(0x0012, at: at(2)) == Array("1".utf8))
        #expect(strap.takes(.octets([]), for: DeviceValue(service: 0, .serial), at: at(2)) == false)
    }

    @Test func `A string of a script has 512 octets at most`() throws {
        var strap = try Wearer(.deviceInformation([(.model, "1")]))
        _ = strap.answer(hex("02 05 02"))
        let long = SensorInput.octets(Array(repeating: 0x61, count: 5000))
        #expect(strap.takes(long, for: DeviceValue(service: 0, .model), at: .start) == true)
        #expect(strap.read(0x0010)?.count == 512)
    }
}
