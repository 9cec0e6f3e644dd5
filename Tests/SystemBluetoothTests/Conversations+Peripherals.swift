import ATT
import Basics
import Bluetooth
import GATT
import SystemBluetooth

extension Conversation {
    private static let system = SystemHarness.addresses[0]

    private static func advertisement(_ name: String?, _ services: UUID...) -> LocalAdvertisement {
        var content = LocalAdvertisement()
        (content.name, content.services) = (name, services)
        return content
    }

    /// A service whose values the program answers, with a notified value and a descriptor.
    private static var service: LocalService {
        var service = LocalService(.heartRate, isPrimary: true)
        var rate = LocalCharacteristic(.heartRateMeasurement, .notify)
        var name = LocalDescriptor(.characteristicUserDescription, nil)
        name.writing = []
        rate.descriptors = [name]
        var point = LocalCharacteristic(.heartRateControlPoint, [.read, .write, .writeWithoutResponse])
        (point.reading, point.writing) = ([], [])
        service.characteristics = [rate, point]
        return service
    }

    /// The phone has connected to the service of the first program, and discovered it.
    private static func serve(_ talk: inout SystemHarness) {
        talk.phone(.open)
        for program in 1...2 as ClosedRange<UInt32> { talk.serve(program, .open) }
        talk.serve(1, .add(service, id: 1))
        talk.serve(1, .advertise(advertisement("A", .heartRate), id: 1))
        talk.run(.seconds(1))
        talk.phone(.connect(system, ConnectionOptions()))
        talk.run(.seconds(5))
        talk.phone(.procedure(.discoverEverything))
        talk.run(.seconds(5))
    }

    private static func found(_ uuid: UUID, in talk: SystemHarness) throws -> DiscoveredCharacteristic {
        guard let found = talk.theirs.flatMap(\.characteristics).first(where: { $0.uuid == uuid }) else {
            throw Missing(description: "\(uuid)")
        }
        return found
    }

    static let peripherals: [Conversation] = [
        Conversation(
            "Two programs advertise",
            because:
                "bluetoothd has five instances, which take turns of 2 s where the controller sends one: HCI_DEFAULT_ADV_DURATION",

            iPhone: """
                1 advertises 1
                1, 2 advertises 1: alreadyAdvertising
                scan
                phone receives A 180D
                scan
                phone receives A 180D
                scan
                phone receives A 180D
                one is left
                phone receives A 180D
                none is left
                """,
            bluetoothd: """
                1 advertises 1
                1 advertises 1: alreadyAdvertising
                2 advertises 1
                scan
                phone receives B 180F
                scan
                phone receives A 180D
                scan
                phone receives B 180F
                one is left
                phone receives A 180D
                none is left
                """
        ) { talk in
            talk.phone(.open)
            for program in 1...2 as ClosedRange<UInt32> { talk.serve(program, .open) }
            talk.clear()
            talk.serve(1, .advertise(advertisement("A", .heartRate), id: 1))
            talk.serve(1, .advertise(advertisement("A", .heartRate), id: 1))
            talk.serve(2, .advertise(advertisement("B", .battery), id: 1))
            talk.run(.seconds(1))
            for _ in 1...3 {
                talk.note("scan")
                talk.phone(.scan(ScanOptions()))
                talk.run(.milliseconds(1900))
                talk.phone(.stopScanning)
                talk.run(.milliseconds(100))
            }
            talk.serve(2, .stopAdvertising(id: 1))
            talk.note("one is left")
            talk.phone(.scan(ScanOptions()))
            talk.run(.seconds(6))
            talk.phone(.stopScanning)
            talk.serve(1, .close)
            talk.note("none is left")
            talk.phone(.scan(ScanOptions()))
            talk.run(.seconds(6))
        },
        Conversation(
            "More is advertised than there is room for",
            because: "bluetoothd cuts nothing, and has five instances: src/advertising.c",

            iPhone: """
                1 advertises 2: alreadyAdvertising
                1 advertises 3: alreadyAdvertising
                1 advertises 1
                1 advertises 4: alreadyAdvertising
                1 advertises 5: alreadyAdvertising
                1 advertises 6: alreadyAdvertising
                1 advertises 7: alreadyAdvertising
                1 advertises 8: alreadyAdvertising
                """,
            bluetoothd: """
                1 advertises 1: outOfSpace
                1 advertises 2: outOfSpace
                1 advertises 3
                1 advertises 4
                1 advertises 5
                1 advertises 6
                1 advertises 7
                1 advertises 8: alreadyAdvertising
                """
        ) { talk in
            talk.serve(1, .open)
            talk.clear()
            var content = advertisement("A name of more than thirty octets.")
            talk.serve(1, .advertise(content, id: 1))
            (content.name, content.services) = (nil, (0..<20).map { UUID(0x1800 + $0) })
            talk.serve(1, .advertise(content, id: 2))
            for id in 3...8 as ClosedRange<UInt32> {
                talk.serve(1, .advertise(advertisement("A"), id: id))
                talk.run(.milliseconds(10))
            }
        },
        Conversation(
            "A central reads and writes the values of a program",
            same: """
                1 MTU of a central 185
                1 is asked 1: 1/1 read
                20 s
                phone: 07
                write
                1 MTU of a central 185
                1 is asked 2: 1/1 01
                phone: refused value_not_allowed (0x13)
                phone: written
                1 MTU of a central 185
                1 is asked: 1/1 02
                """
        ) { talk in
            serve(&talk)
            talk.clear()
            let point = try found(.heartRateControlPoint, in: talk).valueHandle
            talk.phone(.procedure(.read(handle: point)))
            talk.run(.seconds(20))
            talk.note("20 s")
            talk.serve(2, .respond(request: 1, .success([9])))
            talk.serve(1, .respond(request: 1, .success([7])))
            talk.run(.seconds(1))
            talk.note("write")
            talk.phone(.procedure(.write(handle: point, value: [1])))
            talk.run(.seconds(1))
            talk.serve(1, .respond(request: 2, .failure(.valueNotAllowed)))
            talk.phone(.writeCommand(handle: point, [2]))
            talk.run(.seconds(1))
        },
        Conversation(
            "A central reads a descriptor of a program, and subscribes",
            same: """
                1 MTU of a central 185
                1 is asked 1: 1/0/0 read
                phone: 41
                subscribe
                1 MTU of a central 185
                1 subscribed 1/0
                phone: notifying
                2 updated
                1 updated
                phone has 00 48
                1 unsubscribed 1/0
                1, 2 central disconnected
                phone disconnected
                """
        ) { talk in
            serve(&talk)
            talk.clear()
            let rate = try found(.heartRateMeasurement, in: talk)
            let descriptor = rate.descriptors.first { $0.type == .characteristicUserDescription }?.handle ?? 0
            talk.phone(.procedure(.read(handle: descriptor)))
            talk.run(.seconds(1))
            talk.serve(1, .respond(request: 1, .success([0x41])))
            talk.run(.seconds(1))
            talk.note("subscribe")
            talk.phone(
                .notify(
                    true, value: rate.valueHandle, descriptors: HandleRange(rate.valueHandle + 1, rate.range.last),
                    .notification))
            talk.run(.seconds(1))
            talk.serve(2, .update(CharacteristicID(service: 1, index: 0), [0, 1], to: nil))
            talk.serve(1, .update(CharacteristicID(service: 1, index: 0), [0, 72], to: nil))
            talk.run(.seconds(1))
            talk.phone(.cancel(system))
            talk.run(.seconds(1))
        },
        Conversation(
            "A program ends the connection of a central",
            same: """
                phone disconnected
                1, 2 central disconnected
                """
        ) { talk in
            serve(&talk)
            talk.clear()
            talk.serve(2, .disconnect(SystemHarness.addresses[1]))
            talk.run(.seconds(1))
        },
        Conversation(
            "Programs publish services, and one ends",
            because: "bluetoothd has Device Information: src/gatt-database.c",

            iPhone: """
                2 added 1
                2 added 2: uuidNotAllowed
                phone: services changed
                phone: 1800 1801 180D 180F
                phone: services changed
                phone: 1800 1801 180F
                """,
            bluetoothd: """
                2 added 1
                2 added 2: uuidNotAllowed
                phone: services changed
                phone: 1800 1801 180A 180D 180F
                phone: services changed
                phone: 1800 1801 180A 180F
                """
        ) { talk in
            serve(&talk)
            talk.clear()
            talk.serve(2, .add(LocalService(.battery, isPrimary: true), id: 1))
            talk.serve(2, .add(LocalService(.genericAccess, isPrimary: true), id: 2))
            talk.run(.seconds(1))
            talk.phone(.procedure(.discoverPrimaryServices))
            talk.run(.seconds(1))
            talk.serve(1, .close)
            talk.run(.seconds(1))
            talk.phone(.procedure(.discoverPrimaryServices))
            talk.run(.seconds(1))
        },
    ]
}
