import Basics
import Bluetooth
import SecurityManager
import SystemBluetooth

extension Conversation {
    private static let strap = SystemHarness.strap
    private static let protected = TestDevices.device(
        permissions: #""permissions": ["encrypted"],"#, more: #""security": {"io": "none"},"#)
    private static let unprotected = TestDevices.device(more: #""security": {"io": "none"},"#)
    private static let passkey = TestDevices.device(
        permissions: #""permissions": ["authenticated"],"#,
        more: #""security": {"io": "display_only", "passkey": 123456, "mitm": "required"},"#)

    static let pairings: [Conversation] = [
        Conversation(
            "A program subscribes to a value that needs encryption", protected,
            because: "bluetoothd knows the handle of the configuration, and reports the bond",

            iPhone: """
                > discovery
                > write 2A37/2902 01 00
                > write 2A37/2902 01 00
                1 finished 1: notifying
                1 value of 2A37: 08 48 03 00
                """,
            bluetoothd: """
                > write 2A37/2902 01 00
                > write 2A37/2902 01 00
                1, 2 bonded
                1 finished 1: notifying
                1 value of 2A37: 08 48 01 00
                """
        ) { talk in
            talk.connect()
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(15))
        },
        Conversation(
            "The peripheral does not pair", protected,
            because: "Linux ends the link, and bluetoothd forgets the device: src/device.c",

            iPhone: """
                > discovery
                > write 2A37/2902 01 00
                1 finished 1: refused insufficient_authentication (0x05)
                15 s
                """,
            bluetoothd: """
                > write 2A37/2902 01 00
                1, 2 disconnected: connectionFailed
                1 finished 1: refused unlikely_error (0x0E)
                15 s
                1, 2 forgotten
                """,
            uncached: """
                > write 2A37/2902 01 00
                1, 2 disconnected: connectionFailed
                1 finished 1: refused unlikely_error (0x0E)
                1, 2 lost 1800 1801 180D 180F
                15 s
                1, 2 forgotten
                """
        ) { talk in
            talk.connect()
            try talk.act(#"{"do": "refuse_pairing", "of": "strap"}"#)
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(15))
            talk.note("15 s")
            talk.run(.seconds(30))
        },
        Conversation(
            "A program pairs, without a connection, and again", unprotected,
            because: "bluetoothd discovers the attributes, and reports the bond to everyone",

            iPhone: """
                1 paired: inProgress
                > exchange MTU 185
                1 connected 23
                > read 2A00 anywhere
                1 MTU 185
                > discovery
                1 renamed Strap
                > discovery
                1 paired
                > discovery
                > write 9 02 00
                2 paired: alreadyPaired
                2 paired: none
                """,
            bluetoothd: """
                1 paired: inProgress
                > exchange MTU 517
                1, 2 connected 23
                1, 2 MTU 247
                > discovery
                1, 2 bonded
                1 paired
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
                2 paired: alreadyPaired
                2 paired: none
                """
        ) { talk in
            talk.ask(1, .pair(strap))
            talk.ask(1, .pair(strap))
            talk.run(.seconds(5))
            talk.ask(2, .pair(strap))
            talk.ask(2, .cancelPairing(strap))
        },
        Conversation(
            "A program with an agent pairs by a passkey", passkey, because: "bluetoothd reports the bond to everyone",

            iPhone: """
                1 is asked for the passkey
                1 paired
                1 is agent, or none
                """,
            bluetoothd: """
                1 is asked for the passkey
                1, 2 bonded
                1 paired
                1 is agent, or none
                """
        ) { talk in
            talk.agree(1, .becomeAgent(.keyboardDisplay))
            talk.agree(1, .becomeAgent(.keyboardOnly))
            talk.connect()
            talk.ask(1, .pair(strap))
            talk.run(.seconds(1))
            talk.agree(2, .passkey(1, strap))
            talk.agree(1, .passkey(123_456, strap))
            talk.run(.seconds(5))
            talk.agree(1, .stopBeingAgent)
        },
        Conversation(
            "A wrong passkey", passkey, because: "Linux ends the link: smp_failure in net/bluetooth/smp.c",

            iPhone: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: failed(SecurityManager.Pairing.Failure.refused(confirm_value_failed))
                """,
            bluetoothd: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: failed(SecurityManager.Pairing.Failure.refused(confirm_value_failed))
                1, 2 disconnected: connectionFailed
                """,
            uncached: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: failed(SecurityManager.Pairing.Failure.refused(confirm_value_failed))
                1, 2 lost 1800 1801 180D 180F
                1, 2 disconnected: connectionFailed
                """
        ) { talk in
            talk.connect()
            talk.agree(1, .becomeAgent(.keyboardDisplay))
            talk.ask(1, .pair(strap))
            talk.run(.seconds(1))
            talk.agree(1, .passkey(1, strap))
            talk.run(.seconds(5))
        },
        Conversation(
            "The program of everyone's agent ends while it is asked", passkey,
            because: "Linux ends the link, and bluetoothd answers the call with 0x0E",

            iPhone: """
                2 is agent, or none
                > discovery
                > write 2A37/2902 01 00
                2 is asked for the passkey
                1 finished 1: refused insufficient_authentication (0x05)
                """,
            bluetoothd: """
                2 is agent, or none
                > write 2A37/2902 01 00
                2 is asked for the passkey
                1 finished 1: refused insufficient_authentication (0x05)
                """
        ) { talk in
            talk.connect()
            talk.agree(2, .becomeAgent(.keyboardDisplay))
            try talk.subscribe(1, .heartRateMeasurement)
            talk.run(.seconds(1))
            talk.ask(2, .close)
            talk.run(.seconds(5))
        },
        Conversation(
            "The link is lost while an agent is asked", passkey,
            because: "the link is everyone's, and bluetoothd reports its end",
            iPhone: """
                1 is asked for the passkey
                1 is asked no more
                1 disconnected: timedOut
                1 paired: disconnected
                1 paired: none
                """,
            bluetoothd: """
                1 is asked for the passkey
                1 is asked no more
                1, 2 disconnected: timedOut
                1 paired: disconnected
                1 paired: none
                """,
            uncached: """
                1 is asked for the passkey
                1 is asked no more
                1, 2 lost 1800 1801 180D 180F
                1, 2 disconnected: timedOut
                1 paired: disconnected
                1 paired: none
                """
        ) { talk in
            talk.agree(1, .becomeAgent(.keyboardDisplay))
            talk.connect()
            talk.ask(1, .pair(strap))
            talk.run(.seconds(1))
            try talk.act(#"{"do": "link_loss", "of": "strap", "for": "5 s"}"#)
            talk.run(.seconds(3))
            talk.agree(1, .passkey(123_456, strap))
            talk.ask(1, .cancelPairing(strap))
        },
        Conversation(
            "Pairing is cancelled", passkey, because: "the link is everyone's",

            iPhone: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: cancelled
                1 is asked no more
                1 disconnected
                """,
            bluetoothd: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: cancelled
                1 is asked no more
                1, 2 disconnected
                """,
            uncached: """
                1 is agent, or none
                1 is asked for the passkey
                1 paired: cancelled
                1 is asked no more
                1, 2 disconnected
                1, 2 lost 1800 1801 180D 180F
                """
        ) { talk in
            talk.connect()
            talk.agree(1, .becomeAgent(.keyboardDisplay))
            talk.ask(1, .pair(strap))
            talk.run(.seconds(1))
            talk.ask(2, .cancelPairing(strap))
            talk.run(.seconds(5))
        },
    ]
}
