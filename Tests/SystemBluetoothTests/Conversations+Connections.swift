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
                1, 2 found 1801 180D 180F
                1, 2 own value of 2B2A
                1, 2 resolved
                > read 3
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

    static let attributes: [Conversation] = [
        Conversation(
            "Two programs subscribe to one value, and stop",
            because:
                "bluetoothd knows the handle of the configuration, and refuses a StopNotify without StartNotify: src/gatt-client.c",
            iPhone: """
                > discovery
                > write 2A37/2902 01 00
                1 finished 2: notifying
                2 finished 3: notifying
                2 finished 4: notifying
                1, 2 value of 2A37: 08 48 03 00
                1 finished 5: not notifying
                2 value of 2A37: 00 48
                the last
                > write 2A37/2902 00 00
                > write 2A37/2902 00 00
                2 finished 6: not notifying
                2 finished 7: not notifying
                """,
            bluetoothd: """
                > write 2A37/2902 01 00
                1 finished 1: notifying
                2 finished 2: notifying
                2 finished 3: notifying
                1, 2 value of 2A37: 08 48 01 00
                1 finished 4: not notifying
                2 value of 2A37: 00 48
                the last
                > write 2A37/2902 00 00
                2 finished 6: notSubscribed
                2 finished 5: not notifying
                """
        ) { talk in
            talk.connect()
            talk.ask(2, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(1))
            talk.clear()
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            try talk.subscribe(2, .heartRateMeasurement)
            try talk.subscribe(2, .heartRateMeasurement)
            talk.run(.seconds(10))
            try talk.subscribe(1, .heartRateMeasurement, false)
            talk.run(.seconds(10))
            talk.note("the last")
            try talk.subscribe(2, .heartRateMeasurement, false)
            try talk.subscribe(2, .heartRateMeasurement, false)
            talk.run(.seconds(20))
        },
        Conversation(
            "A program that has subscribed ends", because: "with bluetoothd the link stays",
            iPhone: """
                > write 2A37/2902 00 00
                1 disconnected
                """,
            bluetoothd: """
                > write 2A37/2902 00 00
                """
        ) { talk in
            talk.connect()
            talk.ask(2, .connect(strap, ConnectionOptions()))
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            talk.clear()
            talk.ask(1, .close)
            talk.run(.seconds(20))
        },
        Conversation(
            "Reads and writes at the same time",
            because: "equal reads of bluetoothd share a request, and a second write is InProgress: src/gatt-client.c",
            iPhone: """
                > read 2A19
                > read 2A19
                1 finished 2: 32
                > read 2A38
                1 finished 3: 32
                > write 2A39 01
                1 finished 4: 02
                > write 2A39 01
                1 finished 5: written
                1 finished 6: written
                """,
            bluetoothd: """
                > read 2A19
                1 finished 5: inProgress
                > read 2A38
                1 finished 1: 32
                1 finished 2: 32
                > write 2A39 01
                1 finished 3: 02
                1 finished 4: written
                """
        ) { talk in
            talk.connect()
            try talk.read(1, .batteryLevel)
            try talk.read(1, .batteryLevel)
            try talk.read(1, .bodySensorLocation)
            try talk.write(1, .heartRateControlPoint, [1])
            try talk.write(1, .heartRateControlPoint, [1])
            talk.run(.seconds(1))
        },
        Conversation(
            "The attributes move",
            because:
                "bluetoothd discovers anew, and reports new attributes before it takes the old ones away: src/shared/gatt-client.c",
            iPhone: """
                > confirmation
                1 services changed 14 to 281
                """,
            bluetoothd: """
                > confirmation
                1, 2 services changed 14 to 281
                > discovery
                1, 2 found 180D 180F
                > read 2B2A
                > write 2B29 05
                1, 2 own value of 2B2A
                1, 2 lost 180D 180F
                """
        ) { talk in
            talk.connect()
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            talk.clear()
            try talk.act(#"{"do": "move_handles", "of": "strap", "by": 256, "announce": true}"#)
            talk.run(.seconds(20))
        },
    ]

    static let losses: [Conversation] = [
        Conversation(
            "The link is lost while a value is read",
            because: "bluetoothd answers each call, with 0x0E: src/gatt-client.c",
            iPhone: """
                > read 2A38
                1 disconnected: timedOut
                5 s
                """,
            bluetoothd: """
                > read 2A38
                1, 2 disconnected: timedOut
                1 finished 1: refused unlikely_error (0x0E)
                5 s
                1 finished 2: notConnected
                """
        ) { talk in
            talk.connect()
            try talk.act(#"{"do": "stall", "of": "strap"}"#)
            try talk.read(1, .bodySensorLocation)
            talk.run(.seconds(1))
            try talk.act(#"{"do": "link_loss", "of": "strap", "for": "20 s"}"#)
            talk.run(.seconds(5))
            talk.note("5 s")
            try talk.read(1, .bodySensorLocation)
        },
        Conversation(
            "A peripheral that is lost comes back",
            because: "bluetoothd keeps attributes and subscriptions: Cache=always in main.conf",
            iPhone: """
                1 disconnected: timedOut
                connects again
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                > write 2A05/2902 02 00
                """,
            bluetoothd: """
                1, 2 disconnected: timedOut
                1 finished 2: notConnected
                2 finished 3: notifying
                connects again
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > read 3
                > read 2A19
                1, 2 own value of 2A19: 32
                > write 2A37/2902 01 00
                > write 2A19/2902 01 00
                > read 2B2A
                1, 2 resolved
                1 value of 2A37: 08 48 06 00
                1 value of 2A37: 00 48
                """
        ) { talk in
            talk.connect()
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            talk.clear()
            try talk.act(#"{"do": "link_loss", "of": "strap", "for": "20 s"}"#)
            talk.run(.seconds(10))
            try talk.read(1, .bodySensorLocation)
            try talk.subscribe(2, .batteryLevel)
            talk.run(.seconds(20))
            talk.note("connects again")
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(15))
        },
        Conversation(
            "The peripheral stops answering",
            because: "bluetoothd answers the call, and ends the link 2 s later: measured on bluetoothd 5.66",
            iPhone: """
                > read 2A38
                29.9 s
                1 disconnected: connectionFailed
                30.1 s
                """,
            bluetoothd: """
                > read 2A38
                29.9 s
                1 finished 1: refused unlikely_error (0x0E)
                30.1 s
                1, 2 disconnected: connectionFailed
                """
        ) { talk in
            talk.connect()
            try talk.act(#"{"do": "stall", "of": "strap"}"#)
            try talk.read(1, .bodySensorLocation)
            talk.run(.milliseconds(29_900))
            talk.note("29.9 s")
            talk.run(.milliseconds(200))
            talk.note("30.1 s")
            talk.run(.seconds(5))
        },
    ]
}
