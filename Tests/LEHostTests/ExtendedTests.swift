import Basics
import Bluetooth
import HCI
import LEHost
import Mutations
import Testing

/// A host above a controller that has extended advertising.
@Suite struct ExtendedTests {
    static let own = DeviceAddress(0xF0F1_F2F3_F4F5, .random)
    static let other = DeviceAddress(0xC0FF_EE00_0002, .random)
    static let id = ConnectionID(number: 1)
    static let scan = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
    static let scanning = Host.Command.scan(scan, filterDuplicates: false)
    static let creation = ConnectionCreation(
        to: HostHarness.strap,
        parameters: ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A))

    static func complete(_ role: ConnectionComplete.Role, handle: UInt16 = 0x40) -> ConnectionComplete {
        ConnectionComplete(
            handle: handle, role: role, peer: HostHarness.strap,
            timing: ConnectionTiming(interval: 0x28, latency: 0, supervisionTimeout: 0x2A))
    }

    static func enhanced(_ role: ConnectionComplete.Role) -> Event {
        .leEnhancedConnectionComplete(.success, EnhancedConnectionComplete(complete(role)))
    }

    static func started(randomAddress: DeviceAddress? = nil) throws -> HostHarness {
        var harness = try HostHarness(randomAddress: randomAddress)
        harness.start(features: .extendedAdvertising)
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    private static func scans() throws -> HostHarness {
        var harness = try started()
        harness.step(.command(scanning))
        harness.answerAll()
        _ = harness.takeOutputs()
        return harness
    }

    // MARK: The choice

    @Test(arguments: [[], .dataPacketLengthExtension, .extendedAdvertising] as [LEFeatures])
    func `The event mask matches the features`(features: LEFeatures) throws {
        var harness = try HostHarness()
        harness.start(features: features)
        let masks = harness.takeSent().compactMap { octets in
            (try? Command(octets: Array(octets.dropFirst()))).flatMap { command in
                Command.leSetEventMask ~= command ? try? Command.leSetEventMask.parameters(of: command) : nil
            }
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

    static let legacyCommands: Set<Opcode> = Set(
        opcodes(
            Command.leSetAdvertisingParameters, Command.leSetAdvertisingData, Command.leSetScanResponseData,
            Command.leSetAdvertisingEnable,
            Command.leSetScanParameters, Command.leSetScanEnable, Command.leCreateConnection))
    static let extendedCommands: Set<Opcode> = Set(
        opcodes(
            Command.leSetExtendedAdvertisingParameters, Command.leSetExtendedAdvertisingData,
            Command.leSetExtendedScanResponseData,
            Command.leSetExtendedAdvertisingEnable, Command.leRemoveAdvertisingSet, Command.leSetExtendedScanParameters,
            Command.leSetExtendedScanEnable, Command.leExtendedCreateConnection))

    /// Uses every command of a family.
    @Test(arguments: [[.dataPacketLengthExtension], [.extendedAdvertising]] as [LEFeatures])
    func `The two families are never mixed`(features: LEFeatures) throws {
        var harness = try HostHarness()
        harness.start(features: features)
        var used: Set<Opcode> = []
        let requests = [
            HostTests.advertising, HostTests.advertising, Self.scanning, Self.scanning,
            .connect(Self.creation, timeout: .seconds(5)), .cancelConnecting, .stopScanning, .stopAdvertising,
        ]
        for request in requests {
            harness.step(.command(request))
            while let octets = harness.sent.first {
                harness.sent.removeFirst()
                guard let opcode = Opcode(ofCommand: Array(octets.dropFirst())) else { continue }
                used.insert(opcode)
                harness.event(Event.complete(opcode).octets)
            }
        }
        let (own, others) =
            features == .extendedAdvertising
            ? (Self.extendedCommands, Self.legacyCommands) : (Self.legacyCommands, Self.extendedCommands)
        #expect(used.isSuperset(of: own))
        #expect(used.isDisjoint(with: others))
    }

    // MARK: Advertising

    @Test func `A peripheral advertises with legacy PDUs, and creates its set again after a disconnection`() throws {
        var harness = try Self.started(randomAddress: Self.own)
        let parameters = AdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddress: .random)
        let set = ExtendedAdvertisingParameters(handle: 0, legacy: parameters)
        #expect(set.properties.rawValue == 0x0013)
        let end = Event.disconnectionComplete(.success, 0x40, .remoteUserTerminated)
        harness.play(
            .host(.advertise(parameters, data: [2, 1, 6], scanResponse: [2, 9, 0x41])),
            .sends(.leSetExtendedAdvertisingParameters(set)),
            .event(.complete(Command.leSetExtendedAdvertisingParameters.opcode, .success, [7])),
            .sends(.leSetAdvertisingSetRandomAddress(0, Self.own)),
            .done(Command.leSetAdvertisingSetRandomAddress),
            .sends(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 0, [2, 1, 6]))),
            .done(Command.leSetExtendedAdvertisingData),
            .sends(.leSetExtendedScanResponseData(ExtendedAdvertisingData(handle: 0, [2, 9, 0x41]))),
            .done(Command.leSetExtendedScanResponseData),
            .sends(.leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(true, [.init(handle: 0)]))),
            .done(Command.leSetExtendedAdvertisingEnable), .tells(.advertising(true)),
            .event(Self.enhanced(.peripheral)), .tells(.advertising(false)),
            .tells(.connected(Self.id, Self.complete(.peripheral))),
            .event(.leAdvertisingSetTerminated(.success, 0, 0x40, 0)),
            .event(end), .sends(.leRemoveAdvertisingSet(0)),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .remoteUserTerminated)),
            .done(Command.leRemoveAdvertisingSet), .sends(.leSetExtendedAdvertisingParameters(set)))
    }

    @Test func `Data change while the controller advertises, each part only if it differs`() throws {
        var harness = try Self.started(randomAddress: Self.own)
        let parameters = AdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddress: .random)
        harness.play(
            .host(.advertise(parameters, data: [2, 1, 6], scanResponse: [2, 9, 0x41])),
            .sends(.leSetExtendedAdvertisingParameters(ExtendedAdvertisingParameters(handle: 0, legacy: parameters))),
            .event(.complete(Command.leSetExtendedAdvertisingParameters.opcode, .success, [7])),
            .sends(.leSetAdvertisingSetRandomAddress(0, Self.own)),
            .done(Command.leSetAdvertisingSetRandomAddress),
            .sends(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 0, [2, 1, 6]))),
            .done(Command.leSetExtendedAdvertisingData),
            .sends(.leSetExtendedScanResponseData(ExtendedAdvertisingData(handle: 0, [2, 9, 0x41]))),
            .done(Command.leSetExtendedScanResponseData),
            .sends(.leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(true, [.init(handle: 0)]))),
            .done(Command.leSetExtendedAdvertisingEnable), .tells(.advertising(true)))
        harness.play(
            .host(.changeAdvertisingData([3, 0xFF, 1, 2], scanResponse: [2, 9, 0x42])),
            .sends(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 0, [3, 0xFF, 1, 2]))),
            .done(Command.leSetExtendedAdvertisingData),
            .sends(.leSetExtendedScanResponseData(ExtendedAdvertisingData(handle: 0, [2, 9, 0x42]))),
            .done(Command.leSetExtendedScanResponseData))
        harness.play(
            .host(.changeAdvertisingData([3, 0xFF, 1, 3], scanResponse: [2, 9, 0x42])),
            .sends(.leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 0, [3, 0xFF, 1, 3]))),
            .done(Command.leSetExtendedAdvertisingData))
    }

    @Test func `Directed advertising has no data, and a duration`() throws {
        var harness = try Self.started()
        let parameters = AdvertisingParameters(
            minimumInterval: 0xA0, maximumInterval: 0xA0, kind: .directedHighDuty, peer: HostHarness.strap)
        let enable = ExtendedAdvertisingEnable(true, [.init(handle: 0, duration: 128)])
        harness.play(
            .host(.advertise(parameters, data: [2, 1, 6], scanResponse: [])),
            .sends(
                .leSetExtendedAdvertisingParameters(ExtendedAdvertisingParameters(handle: 0, legacy: parameters))),
            .done(Command.leSetExtendedAdvertisingParameters), .sends(.leSetExtendedAdvertisingEnable(enable)),
            .done(Command.leSetExtendedAdvertisingEnable), .tells(.advertising(true)),
            .event(.leAdvertisingSetTerminated(.advertisingTimeout, 1, 0, 0)),
            .event(.leAdvertisingSetTerminated(.advertisingTimeout, 0, 0, 0)), .tells(.advertising(false)))
    }

    @Test func `Removing a set whose parameters were refused is not an error`() throws {
        var harness = try Self.started()
        harness.step(.command(HostTests.advertising))
        for status in [HCIStatus.invalidParameters] + [HCIStatus](repeating: .unknownAdvertisingIdentifier, count: 3) {
            guard let opcode = harness.takeSent().first.flatMap({ Opcode(ofCommand: Array($0.dropFirst())) }) else {
                break
            }
            harness.event(Event.complete(opcode, status).octets)
        }
        #expect(
            harness.takeOutputs().first
                == .refused(Command.leSetExtendedAdvertisingParameters.opcode, .invalidParameters))
        harness.step(.command(HostTests.advertising))
        harness.event(Event.complete(Command.leRemoveAdvertisingSet.opcode, .unknownAdvertisingIdentifier).octets)
        harness.answerAll()
        #expect(harness.takeOutputs() == [.advertising(true)])
    }

    @Test func `A controller has no set after a reset`() throws {
        var harness = try Self.started()
        harness.step(.command(HostTests.advertising))
        harness.answerAll()
        harness.start(features: .extendedAdvertising)
        let parameters = AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0)
        let set = ExtendedAdvertisingParameters(handle: 0, legacy: parameters)
        #expect(harness.sent.contains([1] + Command.leSetExtendedAdvertisingParameters(set).octets))
        #expect(!harness.sent.contains([1] + Command.leRemoveAdvertisingSet(0).octets))
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
    func `A report is connectable only if the advertising is`(
        heard: ExtendedAdvertisingReport.Kind, told: AdvertisingReport.Kind
    ) throws {
        var harness = try Self.scans()
        let target = heard.contains(.directed) ? Self.own : nil
        let report = ExtendedAdvertisingReport(
            kind: heard, address: HostHarness.strap, data: [2, 1, 6], rssi: -60, target: target)
        var expected = AdvertisingReport(kind: told, address: HostHarness.strap, data: [2, 1, 6], rssi: -60)
        expected.isExtended = !heard.contains(.legacy)
        harness.play(.event(.leExtendedAdvertisingReport([report])), .tells(.report(expected)))
    }

    private static func part(
        _ data: [UInt8], _ status: ExtendedAdvertisingReport.DataStatus = .incomplete, of address: DeviceAddress?,
        kind: ExtendedAdvertisingReport.Kind = .connectable, sid: UInt8 = 1
    ) -> ExtendedAdvertisingReport {
        var part = ExtendedAdvertisingReport(kind: kind, status: status, address: address, data: data, rssi: -60)
        part.sid = sid
        return part
    }

    private static func whole(
        _ data: [UInt8], of address: DeviceAddress, _ kind: AdvertisingReport.Kind = .undirected,
        isTruncated: Bool = false
    ) -> Host.Output {
        var report = AdvertisingReport(kind: kind, address: address, data: data, rssi: -60)
        (report.isExtended, report.isTruncated) = (true, isTruncated)
        return .report(report)
    }

    @Test func `Parts are reassembled, whatever comes in between`() throws {
        var harness = try Self.scans()
        let response = Self.part([9], .complete, of: HostHarness.strap, kind: [.scannable, .scanResponse])
        harness.play(
            .event(
                .leExtendedAdvertisingReport([Self.part([1], of: HostHarness.strap), Self.part([2], of: Self.other)])),
            .event(.leExtendedAdvertisingReport([Self.part([3], of: HostHarness.strap)])),
            .event(.leExtendedAdvertisingReport([response, Self.part([8], .complete, of: HostHarness.strap, sid: 2)])),
            .tells(Self.whole([9], of: HostHarness.strap, .scanResponse)),
            .tells(Self.whole([8], of: HostHarness.strap)),
            .event(.leExtendedAdvertisingReport([Self.part([4], .complete, of: HostHarness.strap)])),
            .tells(Self.whole([1, 3, 4], of: HostHarness.strap)),
            .event(.leExtendedAdvertisingReport([Self.part([5], .truncated, of: Self.other)])),
            .tells(Self.whole([2, 5], of: Self.other, isTruncated: true)),
            .event(.leExtendedAdvertisingReport([Self.part([6], .complete, of: Self.other)])),
            .tells(Self.whole([6], of: Self.other)))
    }

    @Test func `Reassembly has limits, and ends with the scan`() throws {
        var harness = try Self.scans()
        let long = [UInt8](repeating: 7, count: 229)
        for _ in 0..<10 {
            harness.event(Event.leExtendedAdvertisingReport([Self.part(long, of: HostHarness.strap)]).octets)
        }
        harness.event(Event.leExtendedAdvertisingReport([Self.part(long, .complete, of: HostHarness.strap)]).octets)
        #expect(harness.takeOutputs() == [Self.whole([UInt8](repeating: 7, count: 1650), of: HostHarness.strap)])

        let crowd = (0..<17).map { DeviceAddress(0xC000_0000_0000 + $0, .random) }
        for address in crowd { harness.event(Event.leExtendedAdvertisingReport([Self.part([1], of: address)]).octets) }
        for address in [crowd[0], crowd[1]] {
            harness.event(Event.leExtendedAdvertisingReport([Self.part([2], .complete, of: address)]).octets)
        }
        #expect(harness.takeOutputs() == [Self.whole([2], of: crowd[0]), Self.whole([1, 2], of: crowd[1])])

        harness.step(.command(Self.scanning))
        harness.answerAll()
        _ = harness.takeOutputs()
        harness.event(Event.leExtendedAdvertisingReport([Self.part([3], .complete, of: crowd[2])]).octets)
        #expect(harness.takeOutputs() == [Self.whole([3], of: crowd[2])])
    }

    @Test func `Anonymous reports are ignored`() throws {
        var harness = try Self.scans()
        harness.play(
            .event(.leExtendedAdvertisingReport([Self.part([1], .complete, of: nil), Self.part([2], of: nil)])))
    }

    // MARK: Connecting

    @Test func `A central connects, and scanning pauses for it`() throws {
        var harness = try Self.started()
        let parameters = Command.leSetExtendedScanParameters(ExtendedScanParameters(Self.scan))
        harness.play(
            .host(Self.scanning), .sends(parameters),
            .done(Command.leSetExtendedScanParameters), .sends(.leSetExtendedScanEnable(ExtendedScanEnable(true))),
            .done(Command.leSetExtendedScanEnable), .tells(.scanning(true)),
            .host(.connect(Self.creation, timeout: .seconds(5))),
            .sends(.leSetExtendedScanEnable(ExtendedScanEnable(false))),
            .done(Command.leSetExtendedScanEnable),
            .sends(.leExtendedCreateConnection(ExtendedConnectionCreation(Self.creation))), .tells(.scanning(false)),
            .begun(Command.leExtendedCreateConnection),
            .event(Self.enhanced(.central)), .sends(parameters),
            .tells(.connected(Self.id, Self.complete(.central))))
    }

    @Test func `A connection that the controller refuses has failed`() throws {
        var harness = try Self.started()
        harness.play(
            .host(.connect(Self.creation, timeout: .seconds(5))),
            .sends(.leExtendedCreateConnection(ExtendedConnectionCreation(Self.creation))),
            .begun(Command.leExtendedCreateConnection, .commandDisallowed),
            .tells(.connectionFailed(HostHarness.strap, .status(.commandDisallowed))))
    }

    @Test func `No event traps or leaks`() throws {
        let reports = Event.leExtendedAdvertisingReport([
            Self.part([2, 1, 6], of: HostHarness.strap), Self.part([1, 2], .complete, of: Self.other),
        ])
        let termination = Event.leAdvertisingSetTerminated(.success, 0, 1, 0)
        let ready = try Self.scans()
        for octets in [reports, termination, Self.enhanced(.central)].flatMap(\.octets.mutations) {
            var harness = ready
            harness.event(octets)
            harness.event([0x10, 1, 9])
            #expect(harness.pool.taken == 0, "\(octets.hex)")
        }
    }
}
