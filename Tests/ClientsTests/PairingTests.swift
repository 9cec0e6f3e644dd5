import Basics
import Bluetooth
import Clients
import GATT
import LEHost
import SecurityManager
import Testing

/// Devices that refuse requests over a link without encryption.
@Suite struct PairingTests {
    private static let id = ConnectionID(number: 1)

    /// A collector whose reading of the temperature was refused.
    private static func refused(_ error: ATTError) throws -> Stand {
        var stand = Stand(pairs: true)
        try stand.discovers([Services.fitness])
        stand.finishes(stand.procedures[2].number, .failure(.refused(error, handle: 0x58)))
        return stand
    }

    private static func key(isNew: Bool) -> LinkSecurityManager.Output { .encrypted(LongTermKey(1), isNew: isNew) }

    private static var bond: Bond {
        var bond = Bond(with: Stand.strap)
        bond.keyAsCentral = LongTermKey(1, isAuthenticated: true)
        return bond
    }

    @Test(arguments: [ATTError.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort])
    func `A refused request is repeated after pairing`(error: ATTError) throws {
        var stand = try Self.refused(error)
        #expect(stand.commands == [.security(Self.id, .secure)])
        #expect(stand.texts == [])
        stand.hears(.security(Self.id, .began))
        #expect(stand.lines == [#"{"pairing": "started", "peer": "C0:FF:EE:00:00:01/random"}"#])
        stand.hears(.security(Self.id, .display(passkey: 42)))
        #expect(stand.lines == [#"{"passkey": {"displayed": 42}, "peer": "C0:FF:EE:00:00:01/random"}"#])
        stand.hears(.security(Self.id, Self.key(isNew: true)))
        #expect(stand.procedures.isEmpty)
        stand.hears(.security(Self.id, .completed(Self.bond, isBonded: true)))
        #expect(
            stand.lines == [
                #"{"paired": {"bonded": true, "authenticated": true}, "peer": "C0:FF:EE:00:00:01/random"}"#
            ])
        #expect(stand.procedures.map(\.procedure) == [.read(handle: 0x58)])
        // A device that refuses nevertheless is not paired with again.
        stand.finishes(stand.procedures[0].number, .failure(.refused(error, handle: 0x58)))
        #expect(stand.texts.count == 1 && stand.texts[0].contains("the device requires "))
        #expect(stand.commands == [])
    }

    @Test func `The key of a bond is enough, and one that is not leads to pairing`() throws {
        var stand = try Self.refused(.insufficientEncryption)
        stand.hears(.security(Self.id, Self.key(isNew: false)))
        #expect(stand.procedures.map(\.procedure) == [.read(handle: 0x58)])
        stand.finishes(stand.procedures[0].number, .failure(.refused(.insufficientAuthentication, handle: 0x58)))
        #expect(stand.commands == [.security(Self.id, .secure)])
    }

    @Test func `Without pairing, the refusal counts`() throws {
        var stand = try Self.refused(.insufficientAuthentication)
        stand.hears(.security(Self.id, .failed(.refused(.confirmValueFailed))))
        #expect(stand.texts.first == "error: pairing failed: confirm_value_failed")
        #expect(stand.texts.last?.hasPrefix("error: reading Temperature failed: ") == true)
        #expect(stand.commands == [])
    }

    @Test func `A lost bond is reported, and the client does not pair by itself`() throws {
        var stand = try Self.refused(.insufficientEncryption)
        stand.hears(.security(Self.id, .notEncrypted(.keyMissing)))
        #expect(stand.texts.first?.contains("lost the keys of an earlier pairing") == true)
        #expect(stand.commands == [])
    }

    @Test func `A Security Request leads to a secured link`() throws {
        var stand = Stand(pairs: true)
        try stand.discovers([Services.fitness])
        stand.hears(.security(Self.id, .requested([.bonding])))
        #expect(stand.commands == [.security(Self.id, .secure)])
        stand.hears(.security(Self.id, .requested([.bonding])))
        #expect(stand.commands == [])
    }
}
