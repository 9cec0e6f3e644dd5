import Basics
import Bluetooth
import FoundationEssentials
import HCI
import Mutations
import Testing

@Suite struct EventTests {
    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    static let complete = ConnectionComplete(
        handle: 0x40, role: .central, peer: strap,
        timing: ConnectionTiming(interval: 0x28, latency: 0, supervisionTimeout: 0x2A), clockAccuracy: 1)

    static let table: [(Event, [UInt8])] = [
        (
            .disconnectionComplete(.success, 0x40, .connectionTimeout),
            [0x05, 4, 0, 0x40, 0, 0x08]
        ),
        (.encryptionChange(.keyMissing, 0x40, 0), [0x08, 4, 6, 0x40, 0, 0]),
        (
            .readRemoteVersionInformationComplete(
                .success, 1, 9, 0xFFFF, 2),
            [0x0C, 8, 0, 1, 0, 9, 0xFF, 0xFF, 2, 0]
        ),
        (.complete(Command.reset.opcode), [0x0E, 4, 1, 0x03, 0x0C, 0]),
        (
            .complete(Command.leReadBufferSize.opcode, .success, LEBufferSize(length: 27, count: 64).octets),
            [0x0E, 7, 1, 0x02, 0x20, 0, 27, 0, 64]
        ),
        (.commandStatus(.unknownCommand, 1, Command.leReadPHY.opcode), [0x0F, 4, 1, 1, 0x30, 0x20]),
        (.hardwareError(7), [0x10, 1, 7]),
        (.dataBufferOverflow(1), [0x1A, 1, 1]),
        (
            .numberOfCompletedPackets([CompletedPackets(handle: 1, count: 2), CompletedPackets(handle: 3, count: 4)]),
            [0x13, 9, 2, 1, 0, 2, 0, 3, 0, 4, 0]
        ),
        (.encryptionKeyRefreshComplete(.success, 1), [0x30, 3, 0, 1, 0]),
        (
            .leConnectionComplete(.success, complete),
            [0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0x28, 0, 0, 0, 0x2A, 0, 1]
        ),
        (
            .leAdvertisingReport([
                AdvertisingReport(kind: .undirected, address: strap, data: [2, 1, 6], rssi: -60),
                AdvertisingReport(kind: .scanResponse, address: strap, data: [], rssi: 127),
            ]),
            [
                0x3E, 25, 2, 2, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 3, 2, 1, 6, 0xC4, 4, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0,
                0, 127,
            ]
        ),
        (
            .leConnectionUpdateComplete(
                .success, 1, ConnectionTiming(interval: 6, latency: 1, supervisionTimeout: 100)),
            [0x3E, 10, 3, 0, 1, 0, 6, 0, 1, 0, 100, 0]
        ),
        (
            .leReadRemoteFeaturesComplete(.success, 1, [.encryption, .dataPacketLengthExtension]),
            [0x3E, 12, 4, 0, 1, 0, 0x21, 0, 0, 0, 0, 0, 0, 0]
        ),
        (
            .leLongTermKeyRequest(1, 2, 3),
            [0x3E, 13, 5, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0]
        ),
        (
            .leRemoteConnectionParameterRequest(
                1,
                ConnectionParameters(minimumInterval: 6, maximumInterval: 7, latency: 8, supervisionTimeout: 9)),
            [0x3E, 11, 6, 1, 0, 6, 0, 7, 0, 8, 0, 9, 0]
        ),
        (
            .leDataLengthChange(
                1, DataLength(octetCount: 251, microseconds: 2120),
                DataLength(octetCount: 27, microseconds: 328)),
            [0x3E, 11, 7, 1, 0, 251, 0, 0x48, 8, 27, 0, 0x48, 1]
        ),
        (
            .leReadLocalP256PublicKeyComplete(.success, Array(0..<32), Array(32..<64)),
            [0x3E, 66, 8, 0] + Array(0..<64)
        ),
        (.leGenerateDHKeyComplete(.invalidParameters, []), [0x3E, 34, 9, 0x12] + [UInt8](repeating: 0, count: 32)),
        (
            .leEnhancedConnectionComplete(
                .success,
                EnhancedConnectionComplete(
                    complete, peerPrivateAddress: DeviceAddress(0x4A01_0203_0405, .random))),
            [
                0x3E, 31, 0x0A, 0, 0x40, 0, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0, 0, 0, 0, 0, 0, 5, 4, 3, 2, 1, 0x4A,
                0x28, 0, 0, 0, 0x2A, 0, 1,
            ]
        ),
        (
            .leEnhancedConnectionComplete(
                .success,
                EnhancedConnectionComplete(
                    ConnectionComplete(
                        handle: 0x40, role: .peripheral, peer: strap, isPeerResolved: true,
                        timing: ConnectionTiming(interval: 0x28, latency: 0, supervisionTimeout: 0x2A)),
                    localPrivateAddress: DeviceAddress(0x4A01_0203_0405, .random),
                    peerPrivateAddress: DeviceAddress(0x4B01_0203_0405, .random))),
            [
                0x3E, 31, 0x0A, 0, 0x40, 0, 1, 3, 1, 0, 0, 0xEE, 0xFF, 0xC0, 5, 4, 3, 2, 1, 0x4A, 5, 4, 3, 2, 1, 0x4B,
                0x28, 0, 0, 0, 0x2A, 0, 0,
            ]
        ),
        (
            .leAdvertisingReport([
                AdvertisingReport(
                    kind: .undirected, address: DeviceAddress(0x1122_3344_5566, .public), isResolved: true, data: [],
                    rssi: -60)
            ]),
            [0x3E, 12, 2, 1, 0, 2, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0xC4]
        ),
        (.lePHYUpdateComplete(.success, 1, 2, 1), [0x3E, 6, 0x0C, 0, 1, 0, 2, 1]),
        (.leChannelSelectionAlgorithm(1, 1), [0x3E, 4, 0x14, 1, 0, 1]),
    ]

    @Test(arguments: table + ExtendedAdvertisingTests.events)
    func `An event has these octets`(event: Event, octets: [UInt8]) throws {
        #expect(event.octets == octets)
        #expect(try Event(octets: octets) == event)
        #expect(event.isKnown)
    }

    @Test(
        arguments: [([0x3E, 2, 0x7F, 1], "0x3E 0x7F 01"), ([0xFF, 3, 1, 2, 3], "0xFF 01 02 03")] as [([UInt8], String)])
    func `An unknown event may have any parameters`(octets: [UInt8], description: String) throws {
        let event = try Event(octets: octets)
        try event.check()
        #expect(!event.isKnown && event.octets == octets && "\(event)" == description)
    }

    @Test func `Every declared kind is in the list, once`() throws {
        let source = try String(
            contentsOfFile: #filePath.replacing(
                "Tests/HCITests/EventTests.swift", with: "Sources/Protocol/HCI/Events.swift"),
            encoding: .utf8)
        #expect(Event.kinds.count == source.matches(of: /= EventKind\(/).count)
        #expect(Set(Event.kinds.map(\.code)).count == Event.kinds.count)
        for kind in Event.kinds { #expect("\(kind.code)" == kind.name) }
    }

    @Test(arguments: table + ExtendedAdvertisingTests.events)
    func `An event that is read can be written again`(event: Event, octets: [UInt8]) throws {
        try event.check()
        for mutation in octets.mutations {
            guard let read = try? Event(octets: mutation) else { continue }
            #expect(mutation.count == octets.count)
            #expect(read.octets == mutation)
            guard (try? read.check()) != nil, let kind = Event.kinds.first(where: { $0.code == read.code })
            else { continue }
            let again = try kind.normalized(read)
            #expect(try kind.normalized(again) == again)
        }
    }

    @Test func `The pool reads Number Of Completed Packets as the event does`() {
        var pool = PacketPool()
        for (event, octets) in Self.table + ExtendedAdvertisingTests.events {
            for mutation in [octets] + octets.mutations {
                let packet = pool.take(mutation)
                var list: [CompletedPackets]?
                if let count = pool.countOfCompletedPackets(in: packet) {
                    list = (0..<count).compactMap { pool.completedPackets($0, in: packet) }
                }
                let read = try? Event(octets: mutation)
                let expected = read.flatMap { read in
                    Event.numberOfCompletedPackets ~= read
                        ? try? Event.numberOfCompletedPackets.parameters(of: read) : nil
                }
                #expect(list == expected, "\(event)")
                pool.release(packet)
            }
        }
        #expect(pool.taken == 0)
    }

    @Test func `The pool writes a Number Of Completed Packets`() {
        var pool = PacketPool()
        var packet = pool.take()
        pool.appendNumberOfCompletedPackets(handle: 0x40, count: 3, to: &packet)
        #expect(
            pool.octets(of: packet)
                == Event.numberOfCompletedPackets([CompletedPackets(handle: 0x40, count: 3)]).octets)
    }

    @Test func `A status can be looked up by name`() {
        for name in HCIStatus.allNames { #expect(HCIStatus(name: name)?.name == name) }
        #expect(Set(HCIStatus.allNames).count == HCIStatus.allNames.count)
        #expect(HCIStatus(name: "remote_user_terminated_connection") == HCIStatus(rawValue: 0x13))
        #expect(HCIStatus(name: "connection_timeout") == HCIStatus(rawValue: 0x08))
        #expect(HCIStatus(rawValue: 0x7F).description == "0x7F")
        #expect(HCIStatus(name: "no_such_status") == nil)
    }
}
