import Basics
import Bluetooth
import Cryptography
import SecurityManager
import Testing

/// The data that devices give away out of band, and the flag with which they announce those that they have received.
@Suite struct OutOfBandTests {
    private static func data(
        temporaryKey: UInt128? = nil, peers: Bool = false, own: UInt8? = nil
    ) throws -> OutOfBandData {
        var data = OutOfBandData()
        data.temporaryKey = temporaryKey
        if peers { data.peers = OutOfBandData.Commitment(random: 1, confirm: 2) }
        if let own {
            let keyPair = try P256KeyPair(privateKey: [UInt8](repeating: own, count: 32))
            data.own = OutOfBandData.Own(keyPair, random: 0x0102_0304)
        }
        return data
    }

    /// A Pairing Request leaves the kind of pairing open.
    @Test(arguments: [
        (SecuritySettings.Preference.off, false, true, false), (.off, true, false, true),
        (.preferred, true, false, true), (.preferred, false, true, true), (.preferred, false, false, false),
        (.required, true, false, true), (.required, false, true, true),
    ])
    func `Pairing Request has the OOB data flag with data for a kind of pairing that the device supports`(
        preference: SecuritySettings.Preference, hasTemporaryKey: Bool, hasCommitment: Bool, flag: Bool
    ) throws {
        var settings = PairingTests.settings(secureConnections: preference)
        settings.outOfBand = try Self.data(temporaryKey: hasTemporaryKey ? 5 : nil, peers: hasCommitment)
        var pair = PairOfDevices(settings, PairingTests.settings())
        pair.pair()
        #expect(pair.initiator.sent.first?[2] == (flag ? 1 : 0))
    }

    @Test(arguments: [false, true], [false, true])
    func `Pairing Response has the OOB data flag with data for this kind of pairing`(
        isSecure: Bool, hasTemporaryKey: Bool
    ) throws {
        var settings = PairingTests.settings()
        settings.outOfBand = try Self.data(temporaryKey: hasTemporaryKey ? 5 : nil, peers: !hasTemporaryKey)
        var pair = PairOfDevices(PairingTests.settings(secureConnections: isSecure ? .preferred : .off), settings)
        pair.pair()
        #expect(pair.responder.sent.first?[2] == (hasTemporaryKey != isSecure ? 1 : 0))
    }

    @Test func `A device that supports both kinds uses the data of the kind that its peer decides for`() throws {
        for isSecure in [false, true] {
            var initiator = PairingTests.settings()
            initiator.outOfBand = try Self.data(temporaryKey: 7)
            var responder = PairingTests.settings(secureConnections: isSecure ? .required : .off)
            responder.outOfBand = try Self.data(temporaryKey: isSecure ? nil : 7, own: 3)
            initiator.outOfBand.peers = try responder.outOfBand.own?.commitment
            var pair = PairOfDevices(initiator, responder)
            pair.pair()
            let key = try #require(pair.initiator.bond?.keyAsCentral)
            #expect(key.isAuthenticated && key.isSecureConnections == isSecure)
            #expect(key == pair.responder.bond?.keyAsPeripheral)
        }
    }

    /// Bluetooth Core Specification Supplement 12, Part A, sections 1.6, 1.8, 1.16 and 1.17.
    @Test func `Data are given away as AD structures`() throws {
        let address = DeviceAddress(0xC0FF_EE00_0001, .random)
        let own = try Self.data(own: 3)
        let (random, confirm) = (own.own?.random ?? 0, try own.own?.commitment.confirm ?? 0)
        let temporaryKey = try Self.data(temporaryKey: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100)
        #expect(
            try temporaryKey.structures(givenBy: address).flatMap(\.octets)
                == [8, 0x1B, 1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 2, 0x1C, 0, 17, 0x10] + Array(0...15))
        let octets = try own.structures(givenBy: DeviceAddress(1, .public)).flatMap(\.octets)
        #expect(octets.prefix(14) == [8, 0x1B, 1, 0, 0, 0, 0, 0, 0, 2, 0x1C, 0, 17, 0x22])
        #expect(octets[14..<30].reversed().reduce(0) { $0 << 8 | UInt128($1) } == confirm)
        #expect(Array(octets.dropFirst(30)) == [17, 0x23, 4, 3, 2, 1] + [UInt8](repeating: 0, count: 12))
        #expect(random == 0x0102_0304)
        #expect(try OutOfBandData().structures(givenBy: address).map(\.type) == [.deviceAddress, .leRole])
    }
}
