import Basics
import Bluetooth
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap

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
                """,
            uncached: """
                > read 2A38
                1, 2 disconnected: timedOut
                1 finished 1: refused unlikely_error (0x0E)
                1, 2 lost 1800 1801 180D 180F
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
                > read 2A00
                > read 2A19
                1, 2 own value of 2A19: 32
                > write 2A37/2902 01 00
                > write 2A19/2902 01 00
                > read 2B2A
                > write 2A05/2902 02 00
                1, 2 resolved
                > write 2A19/2902 01 00
                1 value of 2A37: 08 48 06 00
                1 value of 2A37: 00 48
                """,
            uncached: """
                1, 2 lost 1800 1801 180D 180F
                1, 2 disconnected: timedOut
                1 finished 2: notConnected
                2 finished 3: notConnected
                connects again
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                > read 2B2A
                > write 2B29 05
                > write 2A05/2902 02 00
                1, 2 found 1800 1801 180D 180F
                1, 2 own value of 2B2A
                1, 2 resolved
                > read 2A00
                > read 2A19
                > write 2A19/2902 01 00
                1, 2 own value of 2A19: 32
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
            "The attributes have moved while the peripheral was away",
            because: "bluetoothd compares the Database Hash, and discovers anew",

            iPhone: """
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                > write 2A05/2902 02 00
                """,
            bluetoothd: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > read 2A00
                > read 2A19
                > write 2A37/2902 01 00
                > read 2B2A
                > discovery
                1, 2 found 180D 180F
                > read 2B2A
                > write 2B29 05
                > write 2A05/2902 02 00
                1, 2 own value of 2B2A
                1, 2 lost 180D 180F
                1, 2 resolved
                > write 2A19/2902 01 00
                > read 2A00
                > read 2A19
                1, 2 own value of 2A19: 32
                """,
            uncached: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                > read 2B2A
                > write 2B29 05
                > write 2A05/2902 02 00
                1, 2 found 1800 1801 180D 180F
                1, 2 own value of 2B2A
                1, 2 resolved
                > read 2A00
                > read 2A19
                > write 2A19/2902 01 00
                1, 2 own value of 2A19: 32
                """
        ) { talk in
            talk.connect()
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            try talk.act(#"{"do": "disconnect", "of": "strap"}"#)
            talk.run(.seconds(1))
            try talk.act(#"{"do": "move_handles", "of": "strap", "by": 256}"#)
            talk.clear()
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(15))
        },
        Conversation(
            "The peripheral refuses each discovery",
            because: "bluetoothd never resolves the services; a phone's programs discover",

            iPhone: """
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                1 renamed Strap
                """,
            bluetoothd: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                """
        ) { talk in
            try talk.act(#"{"do": "att_error", "of": "strap", "on": "discover", "error": "unlikely_error"}"#)
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
                1, 2 disconnecting
                30.1 s
                1, 2 disconnected: connectionFailed
                """,
            uncached: """
                > read 2A38
                29.9 s
                1 finished 1: refused unlikely_error (0x0E)
                1, 2 lost 1800 1801 180D 180F
                1, 2 disconnecting
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
