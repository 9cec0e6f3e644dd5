import Bluetooth
import HCI
import LEHost
import Mutations
import Octets
import Simulation
import Testing

/// A host above a controller that has extended advertising.
@Suite struct ExtendedTests {
    static let own = DeviceAddress(0xF0F1_F2F3_F4F5, .random)
    static let other = DeviceAddress(0xC0FF_EE00_0002, .random)
    static let id = ConnectionID(number: 1)
    static let scan = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
    static let scanning = Host.Command.scan(scan, filterDuplicates: false)
    static let creation = ConnectionCreation(
        to: Desk.strap,
        parameters: ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A))

    static func complete(_ role: ConnectionComplete.Role, handle: UInt16 = 0x40) -> ConnectionComplete {
        ConnectionComplete(
            handle: handle, role: role, peer: Desk.strap,
            timing: ConnectionTiming(interval: 0x28, latency: 0, supervisionTimeout: 0x2A))
    }

    static func enhanced(_ role: ConnectionComplete.Role) -> Event {
        .leEnhancedConnectionComplete(.success, complete(role), localPrivate: 0, peerPrivate: 0)
    }

    static func started(randomAddress: DeviceAddress? = nil) throws -> Desk {
        var desk = try Desk(randomAddress: randomAddress)
        desk.start(features: .extendedAdvertising)
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    private static func scans() throws -> Desk {
        var desk = try started()
        desk.step(.command(scanning))
        desk.answerAll()
        _ = desk.takeTold()
        return desk
    }

    // MARK: The choice

    @Test(arguments: [[], .dataPacketLengthExtension, .extendedAdvertising] as [LEFeatures])
    func `The event mask has what the features need`(features: LEFeatures) throws {
        var desk = try Desk()
        desk.start(features: features)
        let masks = desk.takeSent().compactMap { octets in
            if case .leSetEventMask(let mask) = try? Command(octets: Array(octets.dropFirst())) { mask } else { nil }
        }
        let extended: LEEventMask = [
            .enhancedConnectionComplete, .extendedAdvertisingReport, .advertisingSetTerminated,
        ]
        #expect(masks.count == 1)
        for mask in masks {
            #expect(mask.isSuperset(of: [.connectionComplete, .advertisingReport]))
            #expect(mask.intersection(extended) == (features == .extendedAdvertising ? extended : []))
        }
    }

    static let legacyCommands: Set<Opcode> = [
        .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
        .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
    ]
    static let extendedCommands: Set<Opcode> = [
        .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet, .leSetExtendedScanParameters,
        .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]

    /// Advertising twice, scanning twice, connecting in between, and stopping all of it: every command of the family.
    @Test(arguments: [[.dataPacketLengthExtension], [.extendedAdvertising]] as [LEFeatures])
    func `The two families are never mixed`(features: LEFeatures) throws {
        var desk = try Desk()
        desk.start(features: features)
        var used: Set<Opcode> = []
        let wishes = [
            HostTests.advertising, HostTests.advertising, Self.scanning, Self.scanning,
            .connect(Self.creation, timeout: .seconds(5)), .cancelConnecting, .stopScanning, .stopAdvertising,
        ]
        for wish in wishes {
            desk.step(.command(wish))
            while let octets = desk.sent.first {
                desk.sent.removeFirst()
                guard let opcode = Opcode(ofCommand: Array(octets.dropFirst())) else { continue }
                used.insert(opcode)
                desk.event(Event.complete(opcode).octets)
            }
        }
        let (own, others) =
            features == .extendedAdvertising
            ? (Self.extendedCommands, Self.legacyCommands) : (Self.legacyCommands, Self.extendedCommands)
        #expect(used.isSuperset(of: own))
        #expect(used.isDisjoint(with: others))
    }

    // MARK: Advertising

    @Test func `A peripheral advertises by legacy PDUs, and makes its set anew after a disconnection`() throws {
        var desk = try Self.started(randomAddress: Self.own)
        let parameters = AdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddress: .random)
        let set = ExtendedAdvertisingParameters(handle: 0, legacy: parameters)
        #expect(set.properties.rawValue == 0x0013)
        let termination = AdvertisingSetTermination(set: 0, connection: 0x40)
        let end = Event.disconnectionComplete(.success, handle: 0x40, reason: .remoteUserTerminated)
        desk.play(
            .host(.advertise(parameters, data: [2, 1, 6], scanResponse: [2, 9, 0x41])),
            .sends(.leSetExtendedAdvertisingParameters(set)),
            .event(.complete(.leSetExtendedAdvertisingParameters, .success, [7])),
            .sends(.leSetAdvertisingSetRandomAddress(set: 0, Self.own)),
            .done(.leSetAdvertisingSetRandomAddress),
            .sends(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 0, [2, 1, 6]))),
            .done(.leSetExtendedAdvertisingData),
            .sends(.leSetExtendedScanResponseData(ExtendedAdvertisingData(handle: 0, [2, 9, 0x41]))),
            .done(.leSetExtendedScanResponseData),
            .sends(.leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(true, [.init(handle: 0)]))),
            .done(.leSetExtendedAdvertisingEnable), .tells(.advertising(true)),
            .event(Self.enhanced(.peripheral)), .tells(.advertising(false)),
            .tells(.connected(Self.id, Self.complete(.peripheral))),
            .event(.leAdvertisingSetTerminated(.success, termination)),
            .event(end), .sends(.leRemoveAdvertisingSet(0)),
            .tells(.disconnected(Self.id, Desk.strap, reason: .remoteUserTerminated)),
            .done(.leRemoveAdvertisingSet), .sends(.leSetExtendedAdvertisingParameters(set)))
    }

    @Test func `Directed advertising has no data, and an end`() throws {
        var desk = try Self.started()
        let parameters = AdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0, kind: .directedHighDuty, peer: Desk.strap)
        let enable = ExtendedAdvertisingEnable(true, [.init(handle: 0, duration: 128)])
        let termination = AdvertisingSetTermination(set: 0, connection: 0)
        desk.play(
            .host(.advertise(parameters, data: [2, 1, 6], scanResponse: [])),
            .sends(
                .leSetExtendedAdvertisingParameters(ExtendedAdvertisingParameters(handle: 0, legacy: parameters))),
            .done(.leSetExtendedAdvertisingParameters), .sends(.leSetExtendedAdvertisingEnable(enable)),
            .done(.leSetExtendedAdvertisingEnable), .tells(.advertising(true)),
            .event(.leAdvertisingSetTerminated(.advertisingTimeout, AdvertisingSetTermination(set: 1, connection: 0))),
            .event(.leAdvertisingSetTerminated(.advertisingTimeout, termination)), .tells(.advertising(false)))
    }

    @Test func `A set whose parameters were refused need not be there to be removed`() throws {
        var desk = try Self.started()
        desk.step(.command(HostTests.advertising))
        for status in [HCIStatus.invalidParameters] + [HCIStatus](repeating: .unknownAdvertisingIdentifier, count: 3) {
            guard let opcode = desk.takeSent().first.flatMap({ Opcode(ofCommand: Array($0.dropFirst())) }) else {
                break
            }
            desk.event(Event.complete(opcode, status).octets)
        }
        #expect(desk.takeTold().first == .refused(.leSetExtendedAdvertisingParameters, .invalidParameters))
        desk.step(.command(HostTests.advertising))
        desk.event(Event.complete(.leRemoveAdvertisingSet, .unknownAdvertisingIdentifier).octets)
        desk.answerAll()
        #expect(desk.takeTold() == [.advertising(true)])
    }

    @Test func `A controller that was reset has no set any more`() throws {
        var desk = try Self.started()
        desk.step(.command(HostTests.advertising))
        desk.answerAll()
        desk.start(features: .extendedAdvertising)
        let parameters = AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0)
        let set = ExtendedAdvertisingParameters(handle: 0, legacy: parameters)
        #expect(desk.sent.contains([1] + Command.leSetExtendedAdvertisingParameters(set).octets))
        #expect(!desk.sent.contains([1] + Command.leRemoveAdvertisingSet(0).octets))
    }

    // MARK: Scanning

    static let kinds: [(ExtendedAdvertisingReport.Kind, AdvertisingReport.Kind)] = [
        ([.legacy, .connectable, .scannable], .undirected),
        ([.legacy, .connectable, .directed], .directed),
        ([.legacy, .scannable], .scannable),
        ([.legacy], .nonConnectable),
        ([.legacy, .connectable, .scannable, .scanResponse], .scanResponse),
        ([.legacy, .scannable, .scanResponse], .scanResponse),
        ([.connectable], .undirected),
        ([.connectable, .directed], .directed),
        ([.scannable], .scannable),
        ([.scannable, .scanResponse], .scanResponse),
        ([], .nonConnectable),
        ([.directed], .nonConnectable),
    ]

    @Test(arguments: kinds)
    func `A report offers a connection only where there can be one`(
        heard: ExtendedAdvertisingReport.Kind, told: AdvertisingReport.Kind
    ) throws {
        var desk = try Self.scans()
        let target = heard.contains(.directed) ? Self.own : nil
        let report = ExtendedAdvertisingReport(
            kind: heard, address: Desk.strap, data: [2, 1, 6], rssi: -60, target: target)
        desk.play(
            .event(.leExtendedAdvertisingReport([report])),
            .tells(.report(AdvertisingReport(kind: told, address: Desk.strap, data: [2, 1, 6], rssi: -60))))
    }

    private static func part(
        _ data: [UInt8], _ status: ExtendedAdvertisingReport.DataStatus = .incomplete, of address: DeviceAddress?,
        kind: ExtendedAdvertisingReport.Kind = .connectable, sid: UInt8 = 1
    ) -> ExtendedAdvertisingReport {
        var part = ExtendedAdvertisingReport(kind: kind, status: status, address: address, data: data, rssi: -60)
        part.sid = sid
        return part
    }

    private static func whole(_ data: [UInt8], of address: DeviceAddress) -> Host.Output {
        .report(AdvertisingReport(kind: .undirected, address: address, data: data, rssi: -60))
    }

    @Test func `Parts are put together, whatever comes in between`() throws {
        var desk = try Self.scans()
        let response = Self.part([9], .complete, of: Desk.strap, kind: [.scannable, .scanResponse])
        desk.play(
            .event(.leExtendedAdvertisingReport([Self.part([1], of: Desk.strap), Self.part([2], of: Self.other)])),
            .event(.leExtendedAdvertisingReport([Self.part([3], of: Desk.strap)])),
            .event(.leExtendedAdvertisingReport([response, Self.part([8], .complete, of: Desk.strap, sid: 2)])),
            .tells(.report(AdvertisingReport(kind: .scanResponse, address: Desk.strap, data: [9], rssi: -60))),
            .tells(Self.whole([8], of: Desk.strap)),
            .event(.leExtendedAdvertisingReport([Self.part([4], .complete, of: Desk.strap)])),
            .tells(Self.whole([1, 3, 4], of: Desk.strap)),
            .event(.leExtendedAdvertisingReport([Self.part([5], .truncated, of: Self.other)])),
            .tells(Self.whole([2, 5], of: Self.other)),
            .event(.leExtendedAdvertisingReport([Self.part([6], .complete, of: Self.other)])),
            .tells(Self.whole([6], of: Self.other)))
    }

    @Test func `Parts have limits, and are forgotten with the scan`() throws {
        var desk = try Self.scans()
        let long = [UInt8](repeating: 7, count: 229)
        for _ in 0..<10 {
            desk.event(Event.leExtendedAdvertisingReport([Self.part(long, of: Desk.strap)]).octets)
        }
        desk.event(Event.leExtendedAdvertisingReport([Self.part(long, .complete, of: Desk.strap)]).octets)
        #expect(desk.takeTold() == [Self.whole([UInt8](repeating: 7, count: 1650), of: Desk.strap)])

        let crowd = (0..<17).map { DeviceAddress(0xC000_0000_0000 + $0, .random) }
        for address in crowd { desk.event(Event.leExtendedAdvertisingReport([Self.part([1], of: address)]).octets) }
        for address in [crowd[0], crowd[1]] {
            desk.event(Event.leExtendedAdvertisingReport([Self.part([2], .complete, of: address)]).octets)
        }
        #expect(desk.takeTold() == [Self.whole([2], of: crowd[0]), Self.whole([1, 2], of: crowd[1])])

        desk.step(.command(Self.scanning))
        desk.answerAll()
        _ = desk.takeTold()
        desk.event(Event.leExtendedAdvertisingReport([Self.part([3], .complete, of: crowd[2])]).octets)
        #expect(desk.takeTold() == [Self.whole([3], of: crowd[2])])
    }

    @Test func `Who does not say who it is comes to nothing`() throws {
        var desk = try Self.scans()
        desk.play(
            .event(.leExtendedAdvertisingReport([Self.part([1], .complete, of: nil), Self.part([2], of: nil)])))
    }

    // MARK: Connecting

    @Test func `A central connects, and scanning pauses for it`() throws {
        var desk = try Self.started()
        let parameters = Command.leSetExtendedScanParameters(ExtendedScanParameters(Self.scan))
        desk.play(
            .host(Self.scanning), .sends(parameters),
            .done(.leSetExtendedScanParameters), .sends(.leSetExtendedScanEnable(ExtendedScanEnable(true))),
            .done(.leSetExtendedScanEnable), .tells(.scanning(true)),
            .host(.connect(Self.creation, timeout: .seconds(5))),
            .sends(.leSetExtendedScanEnable(ExtendedScanEnable(false))),
            .done(.leSetExtendedScanEnable),
            .sends(.leExtendedCreateConnection(ExtendedConnectionCreation(Self.creation))), .tells(.scanning(false)),
            .begun(.leExtendedCreateConnection),
            .event(Self.enhanced(.central)), .sends(parameters),
            .tells(.connected(Self.id, Self.complete(.central))))
    }

    @Test func `A connection that the controller refuses has failed`() throws {
        var desk = try Self.started()
        desk.play(
            .host(.connect(Self.creation, timeout: .seconds(5))),
            .sends(.leExtendedCreateConnection(ExtendedConnectionCreation(Self.creation))),
            .begun(.leExtendedCreateConnection, .commandDisallowed),
            .tells(.connectionFailed(Desk.strap, .status(.commandDisallowed))))
    }

    @Test func `No event traps or leaks`() throws {
        let reports = Event.leExtendedAdvertisingReport([
            Self.part([2, 1, 6], of: Desk.strap), Self.part([1, 2], .complete, of: Self.other),
        ])
        let termination = Event.leAdvertisingSetTerminated(.success, AdvertisingSetTermination(set: 0, connection: 1))
        let ready = try Self.scans()
        for octets in [reports, termination, Self.enhanced(.central)].flatMap(\.octets.mutations) {
            var desk = ready
            desk.event(octets)
            desk.event([0x10, 1, 9])
            #expect(desk.pool.taken == 0, "\(octets.hex)")
        }
    }
}
