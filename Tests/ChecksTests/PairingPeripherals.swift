// Peripherals that pair.
extension Peripheral {
    static let pairing = [sealed, display, strict, keyboard, tapped, vault, recorder, rotating]

    private static let sealedHeartRate = #"""
        {"service": "heart_rate", "value": 72, "contact": true, "energy": true, "location": "foot",
         "permissions": ["encrypted"]}
        """#
    private static let sealedBattery = #"{"service": "battery", "value": 87, "permissions": ["encrypted"]}"#

    static let sealed = Peripheral(
        name: "sealed", about: "a heart-rate strap that pairs without authentication, for each of its values",
        services: [sealedHeartRate, sealedBattery, information], security: #"{"signing_key": true}"#)

    static let display = Peripheral(
        name: "display", about: "a strap that displays a random passkey, and requires it for its values",
        services: [
            #"{"service": "heart_rate", "value": 72, "permissions": ["authenticated"]}"#, battery,
        ], security: #"{"io": "display_only", "mitm": "preferred"}"#)

    static let strict = Peripheral(
        name: "strict", about: "a strap that rejects pairing without authentication", services: [heartRate, battery],
        security: #"{"io": "display_only", "passkey": 123456, "mitm": "required", "secure_connections": false}"#)

    static let keyboard = Peripheral(
        name: "keyboard", about: "a strap on which the user enters a passkey", services: [heartRate, battery],
        security: #"{"io": "keyboard_only", "mitm": "preferred", "key_size": 10}"#)

    static let tapped = Peripheral(
        name: "tapped", about: "a strap that exchanges data out of band", services: [plainHeartRate],
        security: #"{"io": "display_only", "oob": true}"#)

    static let rotating = Peripheral(
        name: "rotating", about: "a strap that changes its private address each 5 s", services: [plainHeartRate],
        security: #"{"privacy": "5 s"}"#)

    /// Its values have handles 0x30 and 0x40.
    static let vault = Peripheral(
        name: "vault", about: "values that require encryption, or a key of full size",
        services: [
            custom(
                "vault", "5a3b0041-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [
                    #"""
                    {"uuid": "5a3b0042-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "octets", "handle": 48,
                     "properties": ["read", "write"], "permissions": ["encrypted"], "value": "5a5b"}
                    """#,
                    #"""
                    {"uuid": "5a3b0043-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "octets", "handle": 64,
                     "properties": ["read", "write"], "permissions": ["full_key_size"], "value": "5c5d"}
                    """#,
                ])
        ], advertise: "{}", security: "{}")

    /// Indicates each 3 s.
    static let recorder = Peripheral(
        name: "recorder", about: "a thermometer that pairs, and sends while a bonded client is subscribed",
        services: [
            custom(
                "thermometer", "1809",
                [
                    #"""
                    {"uuid": "2A1C", "format": "octets", "value": "006c0100ff", "properties": ["indicate"],
                     "period": "3 s"}
                    """#
                ]), heartRate,
        ], advertise: #"{"interval": "100 ms", "services": ["1809", "180D"], "appearance": 768}"#, security: "{}")
}
