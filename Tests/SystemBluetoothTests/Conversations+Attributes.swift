import Basics
import Bluetooth
import GATT
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap

    static let attributes: [Conversation] = [
        Conversation(
            "Two programs subscribe to one value, and stop",
            because:
                "bluetoothd knows the handle of the configuration, and refuses a StopNotify without StartNotify: src/gatt-client.c",

            iPhone: """
                > discovery
                > write 2A37/2902 01 00
                1 finished 1: notifying
                2 finished 2: notifying
                2 finished 3: notifying
                1, 2 value of 2A37: 08 48 03 00
                1 finished 4: not notifying
                2 value of 2A37: 00 48
                the last
                > write 2A37/2902 00 00
                > write 2A37/2902 00 00
                2 finished 5: not notifying
                2 finished 6: not notifying
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
            "Two programs subscribe at once, and the peripheral refuses",
            because: "the second program of bluetoothd waits for the same response",

            iPhone: """
                > discovery
                2 finished 2: notifying
                > write 2A37/2902 01 00
                1 finished 1: refused insufficient_resources (0x11)
                """,
            bluetoothd: """
                > write 2A37/2902 01 00
                1 finished 1: refused insufficient_resources (0x11)
                2 finished 2: refused insufficient_resources (0x11)
                """
        ) { talk in
            talk.connect()
            talk.ask(2, .connect(strap, ConnectionOptions()))
            talk.clear()
            try talk.act(#"{"do": "att_error", "of": "strap", "on": "subscribe", "error": "insufficient_resources"}"#)
            try talk.subscribe(1, .heartRateMeasurement)
            try talk.subscribe(2, .heartRateMeasurement)
            talk.run(.seconds(2))
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
                1 finished 1: 32
                > read 2A38
                1 finished 2: 32
                > write 2A39 01
                1 finished 3: 02
                > write 2A39 01
                1 finished 4: written
                1 finished 5: written
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
            "A value is read from two offsets at once",
            because: "another offset is InProgress with bluetoothd: src/gatt-client.c",

            iPhone: """
                > read 2A19
                > read more of 2A19
                1 finished 1: 32
                1 finished 2: 
                > read more of 2A19
                1 finished 3: 
                """,
            bluetoothd: """
                > read 2A19
                1 finished 2: inProgress
                1 finished 1: 32
                > read more of 2A19
                1 finished 3: 
                """
        ) { talk in
            talk.connect()
            try talk.read(1, .batteryLevel)
            talk.start(1, .procedure(.readRest(handle: try talk.value(.batteryLevel), from: 1)))
            talk.run(.seconds(1))
            talk.start(1, .procedure(.readRest(handle: try talk.value(.batteryLevel), from: 1)))
            talk.run(.seconds(1))
        },
        Conversation(
            "Descriptors, and writes without response",
            same: """
                > write 2A37/2902 01 00
                1 finished 1: written
                next
                > read 2A37/2902
                1 finished 2: 01 00
                next
                > command 2A39 01
                1 finished 3: written
                next
                1 finished 4: signal strength
                next
                """
        ) { talk in
            talk.connect()
            let descriptor = try talk.found(.heartRateMeasurement).configurationHandle ?? 0
            talk.clear()
            for operation: CentralOperation in [
                .procedure(.write(handle: descriptor, value: [1, 0])), .procedure(.read(handle: descriptor)),
                .writeCommand(handle: try talk.value(.heartRateControlPoint), [1]), .readSignalStrength,
            ] {
                talk.start(1, operation)
                talk.run(.seconds(1))
                talk.note("next")
            }
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
}
