import Basics
import Bluetooth
import HCI
import LEHost
import SecurityManager
import Testing

/// A host with privacy, and one whose bonded peers have it.  Core 6.0, Vol 3, Part C, section 10.7.
@Suite struct PrivacyTests {
    private static let identity = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let peer = DeviceAddress(0xF0F1_F2F3_F4F5, .random)
    private static let key: UInt128 = 0xEC02_34A3_57C8_AD05_3410_10A6_0A39_7D9B
    private static let peerKey: UInt128 = 7
    private static let parameters = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)

    private static func started(
        _ features: LEFeatures = [], identity: DeviceAddress? = identity, lifetime: Duration? = .seconds(60),
        bonds: [Bond] = []
    ) throws -> HostHarness {
        let security = HostSecurity(
            SecuritySettings(), resolvingKey: key, privateAddressLifetime: lifetime, bonds: bonds,
            secrets: .stream(RandomStream(seed: 1)))
        var harness = try HostHarness(randomAddress: identity, security: security)
        harness.start(features: features)
        return harness
    }

    private static var bond: Bond {
        var bond = Bond(with: peer)
        bond.peerResolvingKey = peerKey
        bond.keyAsCentral = LongTermKey(1)
        return bond
    }

    private static func privateAddress(_ seed: UInt64) throws -> DeviceAddress {
        var chance = RandomStream(seed: seed)
        return try DeviceAddress(resolvingKey: peerKey, using: &chance)
    }

    /// The random addresses that the host has set since the last call, the latest last.
    private static func addresses(_ harness: inout HostHarness) -> [DeviceAddress] {
        var addresses: [DeviceAddress] = []
        while !harness.sent.isEmpty {
            let octets = Array(harness.sent.removeFirst().dropFirst())
            guard let command = try? Command(octets: octets) else { continue }
            if case Command.leSetRandomAddress = command,
                let address = try? Command.leSetRandomAddress.parameters(of: command)
            {
                addresses.append(address)
            }
            harness.event([0x0E, 4, 1, octets[0], octets[1], 0])
        }
        return addresses
    }

    // MARK: Own addresses

    @Test(arguments: [LEFeatures(), .extendedAdvertising])
    func `It advertises with one private address after the other`(features: LEFeatures) throws {
        var harness = try Self.started(features)
        _ = harness.takeSent()
        let first = harness.host.address
        harness.step(.command(HostTests.advertising))
        #expect(Self.addresses(&harness) == [])
        harness.wait(.seconds(59))
        #expect(Self.addresses(&harness) == [])
        harness.wait(.seconds(1))
        let second = Self.addresses(&harness)
        harness.step(.command(.rotateAddress))
        let third = Self.addresses(&harness)
        harness.wait(.seconds(59))
        #expect(Self.addresses(&harness) == [])
        let all = [first] + second + third
        #expect(all.count == 3 && Set(all).count == 3)
        for address in all { #expect(try address.isResolved(by: Self.key)) }
        #expect(harness.takeOutputs().last == .advertising(true))
    }

    @Test func `Without privacy it has one address, and rotation has no effect`() throws {
        var harness = try Self.started(lifetime: nil)
        _ = harness.takeSent()
        harness.step(.command(.rotateAddress))
        harness.wait(.seconds(4000))
        #expect(harness.takeSent() == [])
        #expect(harness.host.address == Self.identity)
    }

    @Test func `While it connects, the address stays`() throws {
        var harness = try Self.started()
        _ = Self.addresses(&harness)
        harness.step(.command(HostTests.connecting))
        harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        _ = harness.takeSent()
        harness.step(.command(.rotateAddress))
        harness.wait(.seconds(1))
        #expect(harness.takeSent() == [])
        harness.connected(role: 0)
        harness.step(.timePassed)
        #expect(Self.addresses(&harness).count == 1)
    }

    // MARK: Peers

    @Test func `A bonded advertiser is reported and connected to by its identity`() throws {
        var harness = try Self.started(lifetime: nil, bonds: [Self.bond])
        harness.answerAll()
        _ = harness.takeOutputs()
        let addresses = try [Self.privateAddress(1), Self.privateAddress(2), DeviceAddress(0x4000_0000_0001, .random)]
        for address in addresses {
            let report = AdvertisingReport(kind: .undirected, address: address, data: [], rssi: -60)
            harness.event(Event.leAdvertisingReport([report]).octets)
        }
        let reported = harness.takeOutputs().compactMap { output -> DeviceAddress? in
            if case .report(let report) = output { report.address } else { nil }
        }
        #expect(reported == [Self.peer, Self.peer, addresses[2]])
        let creation = ConnectionCreation(to: Self.peer, parameters: Self.parameters)
        harness.step(.command(.connect(creation, timeout: nil)))
        let sent = try #require(harness.takeSent().last)
        let command = try Command.leCreateConnection.parameters(of: Command(octets: Array(sent.dropFirst())))
        #expect(command.peer == addresses[1])
        harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        var complete = ExtendedTests.complete(.central)
        complete.peer = addresses[1]
        harness.event(Event.leConnectionComplete(.success, complete).octets)
        guard case .connected(let id, let connected)? = harness.takeOutputs().last else { return #expect(Bool(false)) }
        #expect(connected.peer == Self.peer && connected.isPeerResolved)
        #expect(harness.host.addresses(of: id)?.peer == addresses[1])
        harness.step(.command(.security(id, .secure)))
        harness.answerAll()
    }

    @Test func `A peer that uses its identity address again is connected to with that`() throws {
        var harness = try Self.started(lifetime: nil, bonds: [Self.bond])
        harness.answerAll()
        for address in [try Self.privateAddress(1), Self.peer] {
            let report = AdvertisingReport(kind: .undirected, address: address, data: [], rssi: -60)
            harness.event(Event.leAdvertisingReport([report]).octets)
        }
        let creation = ConnectionCreation(to: Self.peer, parameters: Self.parameters)
        harness.step(.command(.connect(creation, timeout: nil)))
        let sent = try #require(harness.takeSent().last)
        let command = try Command.leCreateConnection.parameters(of: Command(octets: Array(sent.dropFirst())))
        #expect(command.peer == Self.peer)
    }
}
