import Basics
import Bluetooth
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap
    private static let unprotected = TestDevices.device(more: #""security": {"io": "none"},"#)
    private static let privately = TestDevices.device(
        permissions: #""permissions": ["encrypted"],"#, more: #""security": {"io": "none", "privacy": true},"#)

    static let bonds: [Conversation] = [
        Conversation(
            "A bonded peripheral has another private address", privately,
            because:
                "Linux scans for a peripheral that it connects to; the phone's controller waits for the address that was received last",

            iPhone: """
                1 paired
                1 disconnected
                rotated
                """,
            bluetoothd: """
                1, 2 bonded
                1 paired
                1, 2 disconnecting
                1, 2 disconnected
                rotated
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > read 2A00
                > read 2A19
                1, 2 own value of 2A19: 32
                > read 2B2A
                > write 2A05/2902 02 00
                1, 2 resolved
                > write 2A19/2902 01 00
                """,
            uncached: """
                1, 2 bonded
                1 paired
                1, 2 disconnecting
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                rotated
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
            talk.ask(1, .scan(ScanOptions()))
            talk.run(.seconds(2))
            talk.ask(1, .stopScanning)
            talk.connect()
            talk.ask(1, .pair(talk.peer))
            talk.run(.seconds(5))
            talk.ask(1, .cancel(talk.peer))
            talk.run(.seconds(5))
            try talk.act(#"{"do": "rotate_address", "of": "strap"}"#)
            talk.note("rotated")
            talk.ask(1, .connect(talk.peer, ConnectionOptions()))
            talk.run(.seconds(15))
        },
        Conversation(
            "The peripheral has lost the bond", unprotected, because: "bluetoothd has kept the attributes",

            iPhone: """
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                1 disconnected: bondLost
                """,
            bluetoothd: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > read 2A00
                1, 2 disconnected: bondLost
                """,
            uncached: """
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                1, 2 disconnected: bondLost
                """
        ) { talk in
            talk.connect()
            talk.ask(1, .pair(strap))
            talk.run(.seconds(5))
            talk.ask(1, .cancel(strap))
            talk.run(.seconds(5))
            try talk.act(#"{"do": "forget_bond", "of": "strap"}"#)
            talk.clear()
            talk.ask(1, .connect(strap, ConnectionOptions()))
            talk.run(.seconds(5))
        },
    ]
}
