public import Bluetooth
public import Cryptography

/// The cryptographic functions of the Security Manager.  Core 6.0, Vol 3, Part H, section 2.2.
///
/// Numbers and octets have the order of the specification's formulas: the most significant octet first.  Each function
/// throws `CryptographyFailure` only if libcrypto cannot compute.
public enum SecurityFunctions {
    /// e: AES-128 of one block.  Section 2.2.1.
    public static func e(key: UInt128, _ block: UInt128) throws(CryptographyFailure) -> UInt128 {
        let octets = try AES128.encrypted(block.mostSignificantFirst, key: key.mostSignificantFirst)
        return UInt128(mostSignificantFirst: octets)
    }

    /// c1: the confirm value of LE legacy pairing.  Section 2.2.3.
    ///
    /// - Parameters:
    ///   - key: The Temporary Key.
    ///   - random: The random value of the device that sends the confirm value.
    ///   - request: The PDU Pairing Request, 7 octets as sent.
    ///   - response: The PDU Pairing Response, 7 octets as sent.
    ///   - initiator: The initiator's address in the connection.
    ///   - responder: The responder's address in the connection.
    /// - Returns: The confirm value.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute it.
    public static func c1(
        key: UInt128, random: UInt128, request: [UInt8], response: [UInt8], initiator: DeviceAddress,
        responder: DeviceAddress
    ) throws(CryptographyFailure) -> UInt128 {
        let addresses = [responder.kind.rawValue, initiator.kind.rawValue]
        let p1 = UInt128(mostSignificantFirst: response.reversed() + request.reversed() + addresses)
        let p2 = UInt128(initiator.number) << 48 | UInt128(responder.number)
        return try e(key: key, try e(key: key, random ^ p1) ^ p2)
    }

    /// s1: the Short Term Key of LE legacy pairing, from the random values of responder and initiator.  Section 2.2.4.
    public static func s1(
        key: UInt128, responder: UInt128, initiator: UInt128
    ) throws(CryptographyFailure) -> UInt128 {
        try e(key: key, responder << 64 | initiator & UInt128(UInt64.max))
    }

    /// f4: the confirm value of LE Secure Connections.  Section 2.2.6.
    ///
    /// - Parameters:
    ///   - u: The x coordinate of the sender's public key, 32 octets.
    ///   - v: The x coordinate of the receiver's public key, 32 octets.
    ///   - x: The sender's random value.
    ///   - z: 0, or with a passkey 0x80 plus its bit in this round.
    /// - Returns: The confirm value.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute it.
    public static func f4(
        _ u: [UInt8], _ v: [UInt8], _ x: UInt128, _ z: UInt8
    ) throws(CryptographyFailure) -> UInt128 {
        try code(of: u + v + [z], key: x)
    }

    /// f5: the MacKey and the LTK of LE Secure Connections, from the DHKey (32 octets) and both devices' random values and
    /// addresses.  Section 2.2.7.
    public static func f5(
        dhKey: [UInt8], initiator: (random: UInt128, address: DeviceAddress),
        responder: (random: UInt128, address: DeviceAddress)
    ) throws(CryptographyFailure) -> (macKey: UInt128, longTermKey: UInt128) {
        let key = try code(of: dhKey, key: 0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE)
        let btle: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
        let rest =
            btle + initiator.random.mostSignificantFirst + responder.random.mostSignificantFirst
            + initiator.address.parameter + responder.address.parameter + [0x01, 0x00]
        return (try code(of: [0] + rest, key: key), try code(of: [1] + rest, key: key))
    }

    /// f6: a DHKey check value.  Section 2.2.8.
    ///
    /// - Parameters:
    ///   - key: The MacKey.
    ///   - sender: The random value, and address, of the device that sends the check value.
    ///   - receiver: Those of the other device.
    ///   - r: 0; or the passkey; or the random value that the sender has received out of band.
    ///   - ioCap: AuthReq, OOB data flag and IO Capability of the sender, 3 octets.
    /// - Returns: The check value.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute it.
    public static func f6(
        key: UInt128, sender: (random: UInt128, address: DeviceAddress),
        receiver: (random: UInt128, address: DeviceAddress), _ r: UInt128, ioCap: [UInt8]
    ) throws(CryptographyFailure) -> UInt128 {
        let message =
            sender.random.mostSignificantFirst + receiver.random.mostSignificantFirst + r.mostSignificantFirst + ioCap
            + sender.address.parameter + receiver.address.parameter
        return try code(of: message, key: key)
    }

    /// g2: the number of six digits that the users compare.  Section 2.2.9.
    ///
    /// - Parameters:
    ///   - u: The x coordinate of the initiator's public key, 32 octets.
    ///   - v: The x coordinate of the responder's public key, 32 octets.
    ///   - x: The initiator's random value.
    ///   - y: The responder's random value.
    /// - Returns: The number, 0 to 999,999.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute it.
    public static func g2(
        _ u: [UInt8], _ v: [UInt8], _ x: UInt128, _ y: UInt128
    ) throws(CryptographyFailure) -> UInt32 {
        UInt32(truncatingIfNeeded: try code(of: u + v + y.mostSignificantFirst, key: x)) % 1_000_000
    }

    private static func code(of message: [UInt8], key: UInt128) throws(CryptographyFailure) -> UInt128 {
        UInt128(mostSignificantFirst: try AESCMAC.code(of: message, key: key.mostSignificantFirst))
    }
}

extension DeviceAddress {
    /// The parameter A1 or A2 of f5 and f6: the type and the address, 7 octets.
    fileprivate var parameter: [UInt8] { [kind.rawValue] + octets.reversed() }
}
