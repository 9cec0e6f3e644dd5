import Basics
import Bluetooth
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap
    /// A strap near the system, and a device with another service and name far away.
    private static let two =
        TestDevices.strap
        + TestDevices(
            """
            {"id": "scale", "name": "Scale", "address": "C0:FF:EE:00:00:02/random", "distance": "30 m",
             "advertise": {"interval": "100 ms", "services": ["1809"], "tx_power": 0},
             "services": [{"service": "health_thermometer", "value": 37}]}
            """)

    private static func scan(_ change: (inout ScanOptions) -> Void = { _ in }) -> CentralRequest {
        var options = ScanOptions()
        change(&options)
        return .scan(options)
    }

    static let scans: [Conversation] = [
        Conversation(
            "Two programs scan, each with a filter", two,
            because: "the objects of bluetoothd are everyone's, and Linux reports a device in each period of 10.24 s",

            iPhone: """
                1 discovered Strap
                2 discovered Scale
                """,
            bluetoothd: """
                1, 2 discovered Strap
                1, 2 discovered Scale
                1, 2 discovered Scale
                1, 2 discovered Scale
                """
        ) { talk in
            talk.ask(1, scan { $0.services = [.heartRate] })
            talk.ask(2, scan { $0.services = [.healthThermometer] })
            talk.run(.seconds(3))
            talk.ask(1, .stopScanning)
            talk.run(.seconds(20))
        },
        Conversation(
            "A scan for one's services, signal or name reports no other", two,
            because: "the objects of bluetoothd are everyone's",

            iPhone: """
                1 discovered Strap
                next
                1 discovered Strap
                next
                1 discovered Scale
                next
                1 discovered Strap
                next
                next
                """,
            bluetoothd: """
                1, 2 discovered Strap
                next
                1, 2 discovered Strap
                next
                1, 2 discovered Scale
                next
                1, 2 discovered Strap
                next
                next
                """
        ) { talk in
            for filter in [
                scan { $0.services = [.heartRate] }, scan { $0.minimumRSSI = -70 },
                scan { $0.prefix = "Sca" }, scan { $0.prefix = "C0:FF:EE:00:00:01" }, scan { $0.prefix = "x" },
            ] {
                talk.ask(1, filter)
                talk.run(.seconds(2))
                talk.ask(1, .stopScanning)
                talk.note("next")
            }
        },
        Conversation(
            "A scan lasts 35 s", because: "Linux reports a device in each period of 10.24 s: DISCOV_LE_TIMEOUT",

            iPhone: """
                1 discovered Strap
                in second 1
                """,
            bluetoothd: """
                1, 2 discovered Strap
                in second 1
                1, 2 discovered Strap
                in second 11
                1, 2 discovered Strap
                in second 21
                1, 2 discovered Strap
                in second 31
                """
        ) { talk in
            talk.ask(1, scan())
            for second in 1...35 {
                let count = talk.log.count
                talk.run(.seconds(1))
                if talk.log.count > count { talk.note("in second \(second)") }
            }
        },
        Conversation(
            "A scan reports duplicates", because: "Linux lets the controller filter them, whatever DuplicateData says",

            iPhone: """
                1 discovered Strap
                1 discovered Strap
                1 discovered Strap
                1 discovered Strap
                1 discovered Strap
                """,
            bluetoothd: """
                1, 2 discovered Strap
                """
        ) { talk in
            talk.ask(1, scan { $0.allowsDuplicates = true })
            talk.run(.milliseconds(600))
        },
        Conversation(
            "A peripheral is received, and not any more",
            because: "a temporary device goes after 30 s: TemporaryTimeout in main.conf",

            iPhone: """
                1 discovered Strap
                29 s
                """,
            bluetoothd: """
                1, 2 discovered Strap
                29 s
                1, 2 forgotten
                """
        ) { talk in
            talk.ask(1, scan())
            talk.run(.seconds(2))
            talk.ask(1, .stopScanning)
            talk.run(.seconds(27))
            talk.note("29 s")
            talk.run(.seconds(5))
        },
        Conversation(
            "A peripheral that was connected",
            because:
                "the link ends 2 s later; a device that was connected stays: btd_device_set_temporary in src/device.c",

            iPhone: """
                1 disconnected
                """,
            bluetoothd: """
                1, 2 disconnecting
                1, 2 disconnected
                """,
            uncached: """
                1, 2 disconnecting
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                """
        ) { talk in
            talk.ask(1, scan())
            talk.run(.seconds(2))
            talk.ask(1, .stopScanning)
            talk.connect()
            talk.ask(1, .cancel(strap))
            talk.run(.seconds(100))
        },
        Conversation(
            "A program connects while another one scans",
            because: "Linux connects at the next advertisement, and finds all attributes",

            iPhone: """
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                > write 9 02 00
                6 s
                """,
            bluetoothd: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                > read 13
                > write 11 05
                > write 9 02 00
                1, 2 found 1800 1801 180D 180F
                1, 2 own value of 2B2A
                1, 2 resolved
                > read 2A00
                > read 2A19
                > write 2A19/2902 01 00
                1, 2 own value of 2A19: 32
                6 s
                """
        ) { talk in
            talk.ask(2, scan { $0.services = [.healthThermometer] })
            talk.run(.seconds(1))
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(5))
            talk.note("6 s")
            talk.run(.seconds(9))
        },
        Conversation(
            "A peripheral is forgotten, connected or not", because: "the link ends 2 s later",

            iPhone: """
                1 disconnected
                1, 2 forgotten
                again
                1, 2 forgotten
                """,
            bluetoothd: """
                1, 2 disconnecting
                1, 2 disconnected
                1, 2 forgotten
                again
                1, 2 forgotten
                """
        ) { talk in
            talk.connect()
            talk.ask(1, .forget(strap))
            talk.run(.seconds(5))
            talk.note("again")
            talk.ask(1, .forget(strap))
        },
        Conversation(
            "The radio is switched off and on", because: "bluetoothd reports each link that ends",

            iPhone: """
                1, 2 off
                1, 2 on
                """,
            bluetoothd: """
                1, 2 disconnected
                1, 2 off
                1, 2 on
                """,
            uncached: """
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                1, 2 off
                1, 2 on
                """
        ) { talk in
            talk.ask(2, scan())
            talk.connect()
            talk.ask(1, .power(false))
            talk.run(.seconds(5))
            talk.ask(1, .power(true))
            talk.run(.seconds(5))
        },
        Conversation(
            "Programs scan and connect while the radio is off", because: "bluetoothd answers Connect",

            iPhone: """
                1, 2 off
                1, 2 on
                """,
            bluetoothd: """
                1, 2 off
                1 failed to connect: cancelled
                1, 2 on
                """
        ) { talk in
            talk.ask(1, .power(false))
            talk.run(.seconds(1))
            talk.ask(2, scan())
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(1))
            talk.ask(1, .power(true))
            talk.run(.seconds(15))
        },
    ]
}
