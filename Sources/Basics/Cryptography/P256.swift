import CLubdubCrypto

/// A private key of the elliptic curve P-256 (FIPS 186-4, section D.1.2.3) and its public key, of which LE Secure
/// Connections computes the DHKey.  Core 6.0, Vol 2, Part H, section 7.1.
///
/// Numbers are 32 octets, the most significant first.
public struct P256KeyPair: Sendable, Hashable {
    /// A number from 1 to the order of the curve minus 1.
    public let privateKey: [UInt8]
    /// The product of the private key and the base point.
    public let publicKey: P256PublicKey

    /// The pair of a private key.
    ///
    /// - Parameter privateKey: 32 octets, from 1 to the order of the curve minus 1.
    /// - Throws: `CryptographyFailure` if the number is out of range, or libcrypto cannot compute the public key.
    public init(privateKey: [UInt8]) throws(CryptographyFailure) {
        publicKey = try P256Curve().product(of: privateKey, with: nil)
        self.privateKey = privateKey
    }

    /// The secret that two devices share: the DHKey, of which each computes the same value.
    ///
    /// - Parameter peer: The public key of the other device.
    /// - Returns: The x coordinate of the product of the private key and the peer's point, 32 octets.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute it.
    public func sharedSecret(with peer: P256PublicKey) throws(CryptographyFailure) -> [UInt8] {
        try P256Curve().product(of: privateKey, with: peer).x
    }
}

/// A point on the elliptic curve P-256.
///
/// A device that computed a DHKey of a point elsewhere would disclose its private key (CVE-2018-5383): therefore, there
/// is no such value.  Core 6.0, Vol 3, Part H, section 2.3.5.6.1.
public struct P256PublicKey: Sendable, Hashable {
    /// The first coordinate, 32 octets, the most significant first.
    public let x: [UInt8]
    /// The second coordinate, 32 octets, the most significant first.
    public let y: [UInt8]

    /// The point with these coordinates; nil unless they are 32 octets each, less than the prime of the field, and on
    /// the curve.
    public init?(x: [UInt8], y: [UInt8]) {
        guard x.count == P256Curve.count, y.count == P256Curve.count,
            (try? P256Curve().contains(x: x, y: y)) == true
        else { return nil }
        self.init(valid: x, y)
    }

    fileprivate init(valid x: [UInt8], _ y: [UInt8]) { (self.x, self.y) = (x, y) }
}

/// libcrypto's curve P-256.
@safe private struct P256Curve: ~Copyable {
    /// Length of a coordinate and of a private key, in octets.
    static let count = 32
    /// The first octet of a point that is encoded as both its coordinates: SEC 1, section 2.3.3.
    private static let uncompressed: UInt8 = 0x04

    private let group: OpaquePointer

    init() throws(CryptographyFailure) {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { throw .unavailable }
        unsafe self.group = group
    }

    deinit { unsafe EC_GROUP_free(group) }

    func contains(x: [UInt8], y: [UInt8]) throws(CryptographyFailure) -> Bool {
        guard let point = unsafe EC_POINT_new(group) else { throw .unavailable }
        defer { unsafe EC_POINT_free(point) }
        return unsafe decode(x, y, into: point)
    }

    /// The product of a number and a point; nil: the base point.
    func product(of number: [UInt8], with factor: P256PublicKey?) throws(CryptographyFailure) -> P256PublicKey {
        guard number.count == Self.count else { throw .keyLength(number.count) }
        guard let scalar = unsafe BN_bin2bn(number, Int32(number.count), nil) else { throw .unavailable }
        defer { unsafe BN_clear_free(scalar) }
        guard unsafe BN_is_zero(scalar) == 0, unsafe BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0 else {
            throw .privateKeyRange
        }
        guard let point = unsafe EC_POINT_new(group) else { throw .unavailable }
        defer { unsafe EC_POINT_free(point) }
        if let factor {
            guard unsafe decode(factor.x, factor.y, into: point),
                unsafe EC_POINT_mul(group, point, nil, point, scalar, nil) == 1
            else { throw .unavailable }
        } else {
            guard unsafe EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1 else { throw .unavailable }
        }
        return unsafe try encoded(point)
    }

    /// Decodes a point; false: it is not on the curve.  libcrypto checks this, and the range of the coordinates.
    private func decode(_ x: [UInt8], _ y: [UInt8], into point: OpaquePointer) -> Bool {
        let octets = [Self.uncompressed] + x + y
        return unsafe EC_POINT_oct2point(group, point, octets, octets.count, nil) == 1
    }

    private func encoded(_ point: OpaquePointer) throws(CryptographyFailure) -> P256PublicKey {
        var octets = [UInt8](repeating: 0, count: 1 + 2 * Self.count)
        let written = unsafe EC_POINT_point2oct(
            group, point, POINT_CONVERSION_UNCOMPRESSED, &octets, octets.count, nil)
        guard written == octets.count else { throw .unavailable }
        return P256PublicKey(valid: Array(octets[1...Self.count]), Array(octets[(1 + Self.count)...]))
    }
}
