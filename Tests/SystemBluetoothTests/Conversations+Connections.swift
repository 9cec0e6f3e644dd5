import Basics
import Bluetooth
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap

    static let connections: [Conversation] = [
        Conversation(
            "A program connects",
            because:
                "bluetoothd discovers all attributes at once, reports them to everyone, and follows the battery: src/device.c, profiles/battery",

            iPhone: """
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                1 renamed Strap
                > discovery
                > write 9 02 00
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
                1, 2 renamed Strap
                > read 2A19
                > write 2A19/2902 01 00
                1, 2 own value of 2A19: 32
                """
        ) { talk in
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(10))
        },
        Conversation(
            "Another program connects, too, and the first one ends",
            because:
                "with bluetoothd the link is everyone's, and ends 2 s after any program's Disconnect: DISCONNECT_TIMER in src/device.c",

            iPhone: """
                2 connected 185
                1 disconnected
                1 s
                3 s
                2 disconnected
                """,
            bluetoothd: """
                2 connected 247
                1, 2 disconnecting
                1 s
                1, 2 disconnected
                3 s
                2 disconnected
                """,
            uncached: """
                2 connected 247
                1, 2 disconnecting
                1 s
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                3 s
                2 disconnected
                """
        ) { talk in
            talk.connect()
            talk.ask(2, .connect(strap, ConnectionOptions()))
            talk.ask(1, .cancel(strap))
            talk.run(.seconds(1))
            talk.note("1 s")
            talk.run(.seconds(2))
            talk.note("3 s")
            talk.ask(2, .cancel(strap))
            talk.run(.seconds(5))
        },
        Conversation(
            "A program that has connected ends", because: "with bluetoothd the link stays",

            iPhone: """
                1 disconnected
                """,
            bluetoothd: """
                """
        ) { talk in
            talk.connect()
            talk.ask(1, .close)
            talk.run(.seconds(5))
        },
        Conversation(
            "Programs request while the link ends",
            because: "the link of bluetoothd lasts 2 s more, but takes no requests: DISCONNECT_TIMER in src/device.c",

            iPhone: """
                1 disconnected
                > discovery
                2 connected 185
                > write 2A19/2902 01 00
                2 finished 2: notifying
                2 value of 2A37: 08 48 03 00
                """,
            bluetoothd: """
                1, 2 disconnecting
                > write 2A19/2902 01 00
                2 failed to connect: inProgress
                2 finished 2: notifying
                1, 2 disconnected
                """,
            uncached: """
                1, 2 disconnecting
                > write 2A19/2902 01 00
                2 failed to connect: inProgress
                2 finished 2: notifying
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                """
        ) { talk in
            talk.connect()
            talk.ask(2, .connect(strap, ConnectionOptions()))
            try talk.subscribe(2, .heartRateMeasurement)
            talk.run(.seconds(8))
            talk.clear()
            talk.ask(1, .cancel(strap))
            talk.ask(1, .cancel(strap))
            try talk.subscribe(2, .batteryLevel)
            talk.ask(2, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(5))
        },
        Conversation(
            "A program connects twice, and cancels",
            because: "bluetoothd refuses a second Connect, and a Disconnect is everyone's: src/device.c",

            iPhone: """
                cancels
                2 disconnected
                1 disconnected
                """,
            bluetoothd: """
                1, 2 failed to connect: inProgress
                cancels
                1 failed to connect: cancelled
                2 disconnected
                1 disconnected
                """
        ) { talk in
            try talk.act(#"{"do": "link_loss", "of": "strap"}"#)
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(5))
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.ask(2, .connect(strap, ConnectionOptions()))
            talk.note("cancels")
            talk.ask(2, .cancel(strap))
            talk.ask(1, .cancel(strap))
            talk.run(.seconds(5))
        },
        Conversation(
            "A program connects to a peripheral that is out of range",
            because: "Linux gives up after 40 s: le_connect in net/bluetooth",

            iPhone: """
                39.9 s
                40 s
                """,
            bluetoothd: """
                39.9 s
                1 failed to connect: timedOut
                40 s
                """
        ) { talk in
            try talk.act(#"{"do": "link_loss", "of": "strap"}"#)
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.milliseconds(39_900))
            talk.note("39.9 s")
            talk.run(.milliseconds(100))
            talk.note("40 s")
            talk.run(.seconds(100))
        },
    ]
}
