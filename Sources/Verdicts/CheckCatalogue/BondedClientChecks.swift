import ATT
import Basics
import Bluetooth
import Checks
import GATT
import LEHost
import SecurityManager

// What a server keeps of a bonded client, and what a paired client may do.  Core 6.0, Vol 3, Part G, sections 3.3.3.3 and 7.2,
// and Part C, section 10.3.
extension Check {
    static let bondedClients = [
        kept("GATT/SR/GAN/BV-03-C", .notify, "notifications", "4.10"),
        kept("GATT/SR/GAI/BV-02-C", .indicate, "indications", "4.11"),
        Check(
            "GATT/SR/GAS/BV-04-C", "Client Supported Features of a bonded client are kept", gatt("7.2"),
            scope: .freshConnection, if: .characteristic(.clientSupportedFeatures, of: .genericAttribute), .pairing
        ) { peripheral throws(CheckExit) in
            let keys = try peripheral.bondWithAttributes()
            let handle = try peripheral.enableRobustCaching()
            try peripheral.reconnect(withBond: keys)
            peripheral.wait(.seconds(1))  // until the server knows that the link is encrypted
            let octets = try peripheral.read(handle, "Client Supported Features")
            try peripheral.expect(
                octets.first == 0x01,
                "Client Supported Features is 01, as written before the bonded client reconnected",
                seen: octets.text)
        },
        Check(
            "gatt/pairing_opens_values", "a value that requires authentication or encryption can be read after pairing",
            "Core 6.0, Vol 3, Part C, section 10.3.1", scope: .freshConnection, if: .pairing
        ) { peripheral throws(CheckExit) in try peripheral.expectOpened() },
    ]

    private static func kept(
        _ id: String, _ property: CharacteristicProperties, _ word: String, _ section: String
    ) -> Check {
        Check(
            id, "a bonded client receives \(word) when it reconnects", gatt("\(section) and 3.3.3.3"),
            scope: .freshConnection, if: .pairing
        ) { peripheral throws(CheckExit) in try peripheral.expectKept(property, word) }
    }
}

extension Examiner {
    /// Bonds with the peripheral, and discovers its attributes in the same connection.
    mutating func bondWithAttributes() throws(CheckExit) -> PairedKeys {
        let keys = try lastingBond(try bondable())
        try discover()
        return keys
    }

    /// Encrypts the link with a key of 7 octets.
    mutating func pairWithShortKey() throws(CheckExit) {
        let found = services
        var plan = try preferred()
        plan.maximumKeySize = 7
        switch try attempt(plan) {
        case .success: break
        case .failure(let end):
            throw .skipped("pairing with a key of 7 octets failed: \(exit(of: end, plan).description)")
        }
        if services.isEmpty { services = found }
    }

    /// Fails if a subscription of a bonded client is lost when it reconnects.
    fileprivate mutating func expectKept(_ property: CharacteristicProperties, _ word: String) throws(CheckExit) {
        // Service Changed is not indicated while the services stay.
        let isCandidate = { (value: DiscoveredCharacteristic) in
            value.properties.contains(property) && value.uuid != .serviceChanged
        }
        guard characteristics.contains(where: isCandidate) else {
            throw .notApplicable("no characteristic except Service Changed is declared with \(property.names)")
        }
        let keys = try bondWithAttributes()
        let configuration: ClientConfiguration = property == .notify ? .notification : .indication
        let values = try subscribeToAllThatAccept(preferring: configuration).filter(isCandidate)
        _ = wait(atMost: Recording.usualDuration) { examiner in
            examiner.connection == nil || values.contains { examiner.comesAgainAndAgain($0) }
        }
        let regular = values.first(where: comesAgainAndAgain)
        guard let value = regular ?? values.first(where: { latest(of: $0.valueHandle) != nil }),
            let handle = value.configurationHandle
        else { throw .notApplicable("no \(word) within \(Recording.usualDuration.formatted)") }
        try reconnect(withBond: keys)
        wait(.seconds(1))  // until the server knows that the link is encrypted
        let octets = try read(handle, "the configuration of \(value.uuid.name)")
        try expect(
            octets.first == UInt8(truncatingIfNeeded: configuration.rawValue),
            "the configuration of \(value.uuid.name) is \(configuration.rawValue.inHex), as before the bonded client "
                + "reconnected", seen: octets.text)
        if try next(ofKept: value) { return }
        guard regular != nil else {
            throw .notApplicable("\(value.uuid.name) comes too seldom to judge whether it is sent again")
        }
        try subscribe(configuration, to: value)
        guard try next(ofKept: value) else {
            throw .inconclusive("no \(value.uuid.name) within \(Recording.usualDuration.formatted) of reconnecting")
        }
        throw failure(expected: "\(value.uuid.name) without a new subscription", seen: "none before one")
    }

    /// Whether a value has come three times within 5 s or more.  Others may be sent because a client subscribes, or seldom.
    private func comesAgainAndAgain(_ value: DiscoveredCharacteristic) -> Bool {
        let instants = receivedValues.filter { $0.handle == value.valueHandle }.map(\.instant)
        guard instants.count > 2, let first = instants.first, let last = instants.last else { return false }
        return first.duration(to: last) >= .seconds(5)
    }

    private mutating func next(ofKept value: DiscoveredCharacteristic) throws(CheckExit) -> Bool {
        if latest(of: value.valueHandle) != nil { return true }
        return try next(of: value.valueHandle, within: Recording.usualDuration) != nil
    }

    /// Fails if a value remains closed after pairing, with authentication if the peripheral can.
    fileprivate mutating func expectOpened() throws(CheckExit) {
        var closed: [DiscoveredCharacteristic] = []
        for value in characteristics where value.properties.contains(.read) {
            let refusal = try refusal(of: PDU.readRequest(handle: value.valueHandle), "a read of \(value.uuid.name)")
            if let error = refusal?.error, error == .insufficientAuthentication || error == .insufficientEncryption {
                closed.append(value)
            }
        }
        guard let value = closed.first else { throw .notApplicable("no value requires authentication or encryption") }
        let keys = try bond(.strongest(secureConnections: try preferred().isSecure))
        let description = "a read of \(value.uuid.name)"
        let error = try refusal(of: PDU.readRequest(handle: value.valueHandle), "\(description) after pairing")?.error
        if error == .insufficientAuthentication, !keys.linkKey.isAuthenticated {
            throw .notApplicable("the features of the peripheral permit no authentication")
        }
        if error == .insufficientAuthentication, !keys.linkKey.isSecureConnections {
            throw .notApplicable("the peripheral does not support LE Secure Connections")
        }
        try expect(
            error != .insufficientAuthentication && error != .insufficientEncryption,
            "an answer to \(description) after pairing",
            seen: error?.description ?? "")
    }
}

extension PairingPlan {
    /// Authenticates if the peripheral has a display or a keyboard.
    fileprivate static func strongest(secureConnections: Bool) -> PairingPlan {
        var plan = PairingPlan(secureConnections ? [.mitmProtection, .secureConnections] : .mitmProtection)
        plan.io = .keyboardOnly
        return plan
    }
}
