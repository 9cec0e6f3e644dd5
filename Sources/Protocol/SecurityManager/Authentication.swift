import Cryptography

/// Phase 2 of pairing: the devices authenticate each other, and agree on a key.  Core 6.0, Vol 3, Part H, section 2.3.5.
enum Authentication: Sendable {
    case legacy(LegacyAuthentication)
    case secureConnections(SecureConnectionsAuthentication)

    init(
        _ exchange: FeatureExchange, _ outOfBand: OutOfBandData, asks: Bool = false, echoes: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingFailedReason) {
        if exchange.isSecureConnections {
            self = .secureConnections(
                try SecureConnectionsAuthentication(exchange, outOfBand, asks: asks, using: &generator))
        } else {
            self = .legacy(
                LegacyAuthentication(
                    exchange, outOfBand, asks: asks, echoes: echoes, random: UInt128(using: &generator)))
        }
    }

    /// Sends what does not depend on a user.
    mutating func start(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        switch self {
        case .legacy(var legacy):
            try legacy.start(into: &outbox)
            self = .legacy(legacy)
        case .secureConnections(let secure): secure.start(into: &outbox)
        }
    }

    /// Continues with the passkey.
    mutating func provide(
        passkey: UInt32, using generator: inout some RandomNumberGenerator, into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        switch self {
        case .legacy(var legacy):
            try legacy.provide(temporaryKey: UInt128(passkey), into: &outbox)
            self = .legacy(legacy)
        case .secureConnections(var secure):
            try secure.provide(passkey: passkey, using: &generator, into: &outbox)
            self = .secureConnections(secure)
        }
    }

    /// Continues after the user has found that the compared numbers are equal, or has agreed.
    mutating func confirm(into outbox: inout [AuthenticationOutput]) throws(PairingFailedReason) {
        switch self {
        case .legacy(var legacy):
            try legacy.confirm(into: &outbox)
            self = .legacy(legacy)
        case .secureConnections(var secure):
            try secure.confirm(into: &outbox)
            self = .secureConnections(secure)
        }
    }

    mutating func receive(
        _ pdu: SecurityPDU, using generator: inout some RandomNumberGenerator,
        into outbox: inout [AuthenticationOutput]
    ) throws(PairingFailedReason) {
        switch self {
        case .legacy(var legacy):
            try legacy.receive(pdu, into: &outbox)
            self = .legacy(legacy)
        case .secureConnections(var secure):
            try secure.receive(pdu, using: &generator, into: &outbox)
            self = .secureConnections(secure)
        }
    }
}

/// What phase 2 requests or reports.
enum AuthenticationOutput {
    case send(SecurityPDU)
    /// The user compares this number with the peer's.
    case compare(UInt32)
    /// The user agrees to pairing, or not.
    case authorize
    /// The link is to be encrypted with this key.
    case key(UInt128)
}

/// The result of a cryptographic function; throws Unspecified Reason if libcrypto cannot compute it.
func computed<Value>(_ body: () throws(CryptographyFailure) -> Value) throws(PairingFailedReason) -> Value {
    do throws(CryptographyFailure) { return try body() } catch { throw .unspecifiedReason }
}

extension UInt128 {
    /// A random number of 128 bits.
    package init(using generator: inout some RandomNumberGenerator) {
        let upper = UInt128(generator.next())
        self = upper << 64 | UInt128(generator.next())
    }
}
