import Basics
import Bluetooth
import HCI
import Testing

@Suite struct ExtendedAdvertisingTests {
    static let strap = CommandTests.strap
    static let creation = ExtendedConnectionCreation(
        ConnectionCreation(to: strap, parameters: CommandTests.parameters, scanWindow: 0x30))

    /// The octets are those of Bumble 0.0.236 for the same fields.
    static let commands: [(Command, [UInt8])] = [
        (
            .leSetAdvertisingSetRandomAddress(2, strap),
            [0x35, 0x20, 7, 2, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0]
        ),
        (
            .leSetExtendedAdvertisingParameters(
                ExtendedAdvertisingParameters(
                    handle: 2,
                    legacy: AdvertisingParameters(
                        minimumInterval: 0xA0, maximumInterval: 0x1B0, ownAddress: .random))),
            [
                0x36, 0x20, 25, 2, 0x13, 0, 0xA0, 0, 0, 0xB0, 1, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0,
            ]
        ),
        (
            .leSetExtendedAdvertisingData(ExtendedAdvertisingData(handle: 2, [2, 1, 6])),
            [0x37, 0x20, 7, 2, 3, 1, 3, 2, 1, 6]
        ),
        (
            .leSetExtendedScanResponseData(
                ExtendedAdvertisingData(handle: 2, [3, 9, 0x41], operation: .first, fragmentPreference: 0)),
            [0x38, 0x20, 7, 2, 1, 0, 3, 3, 9, 0x41]
        ),
        (
            .leSetExtendedAdvertisingEnable(
                ExtendedAdvertisingEnable(true, [.init(handle: 2, duration: 0x1234, maximumEvents: 5)])),
            [0x39, 0x20, 6, 1, 1, 2, 0x34, 0x12, 5]
        ),
        (.leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(false, [])), [0x39, 0x20, 2, 0, 0]),
        (.leRemoveAdvertisingSet(2), [0x3C, 0x20, 1, 2]),
        (
            .leSetExtendedScanParameters(
                ExtendedScanParameters(
                    ownAddress: .random, at1M: .init(isActive: true, interval: 0x60, window: 0x30),
                    coded: .init(isActive: false, interval: 0x61, window: 0x31))),
            [0x41, 0x20, 13, 1, 0, 5, 1, 0x60, 0, 0x30, 0, 0, 0x61, 0, 0x31, 0]
        ),
        (.leSetExtendedScanEnable(ExtendedScanEnable(true, filter: .on)), [0x42, 0x20, 6, 1, 1, 0, 0, 0, 0]),
        (
            .leExtendedCreateConnection(creation),
            [0x43, 0x20, 26, 0, 0, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 1] + initiation
        ),
        (
            .leExtendedCreateConnection(everyPHY),
            [0x43, 0x20, 58, 0, 0, 1, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 7] + initiation + initiation + initiation
        ),
    ]

    static let initiation: [UInt8] = [0x60, 0, 0x30, 0, 0x18, 0, 0x28, 0, 0, 0, 0x2A, 0, 0, 0, 0, 0]
    static var everyPHY: ExtendedConnectionCreation {
        var everyPHY = creation
        (everyPHY.at2M, everyPHY.coded) = (creation.at1M, creation.at1M)
        return everyPHY
    }

    static let events: [(Event, [UInt8])] = [
        (
            .leExtendedAdvertisingReport([
                ExtendedAdvertisingReport(
                    kind: [.legacy, .connectable, .scannable], address: strap, data: [2, 1, 6], rssi: -60),
                directed,
            ]),
            [
                0x3E, 53, 0x0D, 2,
                0x13, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 0, 0xFF, 0x7F, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6,
                0x25, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 3, 2, 4, 5, 0x7F, 0x50, 0, 1, 2, 0, 0, 0xEE, 0xFF, 0xC0, 0,
            ]
        ),
        (
            .leExtendedAdvertisingReport([
                ExtendedAdvertisingReport(kind: [], status: .truncated, address: nil, data: [7], rssi: -1)
            ]),
            [
                0x3E, 27, 0x0D, 1,
                0x40, 0, 0xFF, 0, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7,
            ]
        ),
        (
            .leAdvertisingSetTerminated(.success, 2, 0x40, 7),
            [0x3E, 6, 0x12, 0, 2, 0x40, 0, 7]
        ),
    ]

    static var directed: ExtendedAdvertisingReport {
        var report = ExtendedAdvertisingReport(
            kind: [.connectable, .directed], status: .incomplete, address: strap, data: [], rssi: 127,
            target: DeviceAddress(0xC0FF_EE00_0002, .random))
        (report.primaryPHY, report.secondaryPHY, report.sid) = (3, 2, 4)
        (report.txPower, report.periodicInterval) = (5, 0x50)
        return report
    }

    static let properties: [(AdvertisingParameters.Kind, UInt16)] = [
        (.undirected, 0x13), (.directedHighDuty, 0x1D), (.scannable, 0x12), (.nonConnectable, 0x10),
        (.directedLowDuty, 0x15),
    ]

    @Test(arguments: properties)
    func `Legacy PDUs have these properties`(kind: AdvertisingParameters.Kind, bits: UInt16) {
        #expect(AdvertisingEventProperties(legacy: kind).rawValue == bits)
    }

    @Test func `An error names an unknown PHY`() {
        #expect(throws: Malformed.prohibited(field: "Scanning_PHYs", at: 5, value: 3, allowed: "bits of 0b101")) {
            try Command(octets: [0x41, 0x20, 13, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).check()
        }
        #expect(
            throws: Malformed.prohibited(field: "Event_Type", at: 4, value: 0x60, allowed: "0 to 2 in bits 5 and 6")
        ) {
            try Event(octets: [0x3E, 26, 0x0D, 1, 0x60, 0] + [UInt8](repeating: 0, count: 22)).check()
        }
    }

    @Test func `An unresolved private address is a random address`() throws {
        let octets =
            [0x3E, 26, 0x0D, 1, 0x05, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 1, 0, 0, 0, 0, 0, 0xFE]
            + [5, 4, 3, 2, 1, 0x4A, 0] as [UInt8]
        let event = try Event(octets: octets)
        #expect(Event.leExtendedAdvertisingReport ~= event)
        let reports = try Event.leExtendedAdvertisingReport.parameters(of: event)
        #expect(reports.map(\.target) == [DeviceAddress(0x4A01_0203_0405, .random)])
    }

    @Test func `Data that are too long for a packet are truncated`() throws {
        let data = ExtendedAdvertisingData(handle: 0, [UInt8](repeating: 7, count: 300))
        #expect(try ExtendedAdvertisingData(octets: data.octets).data.count == 251)
        let sets = [ExtendedAdvertisingEnable.AdvertisingSet](repeating: .init(handle: 0), count: 64)
        let command = Command.leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable(true, sets))
        #expect(command.octets.count == 3 + 254)
        #expect(throws: Never.self) { try Command(octets: command.octets).check() }
        let report = ExtendedAdvertisingReport(
            kind: [], address: Self.strap, data: [UInt8](repeating: 7, count: 300), rssi: 0)
        #expect(throws: Never.self) { try Event.leExtendedAdvertisingReport([report]).check() }
    }
}
