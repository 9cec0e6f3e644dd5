import Bluetooth
import HCI

/// Puts the parts of extended advertising together: a report whose data are incomplete goes on in the next one of the
/// same advertiser and set, with those of others in between.  Core 6.0, Vol 4, Part E, section 7.7.65.13.
struct ReportAssembler: Sendable {
    /// The most octets that an advertiser can send, section 7.8.57; what is beyond is dropped.
    static let longest = AdvertisingData.Limit.extended.rawValue
    /// Of how many advertisers the beginning is kept; the one that was heard longest ago is forgotten for another.
    static let most = 16

    private struct Beginning: Sendable {
        let address: DeviceAddress
        let sid: UInt8
        let isScanResponse: Bool
        var data: [UInt8] = []

        func goesOn(with report: ExtendedAdvertisingReport) -> Bool {
            address == report.address && sid == report.sid
                && isScanResponse == report.kind.contains(.scanResponse)
        }
    }

    private var beginnings: [Beginning] = []

    /// Takes a report in, and returns the whole one when this was the last part of it.  One without an address comes to
    /// nothing: there is nobody whom it could be told of.
    mutating func receive(_ report: ExtendedAdvertisingReport) -> AdvertisingReport? {
        guard let address = report.address else { return nil }
        let known = beginnings.firstIndex { $0.goesOn(with: report) }
        var beginning =
            known.map { beginnings.remove(at: $0) }
            ?? Beginning(
                address: address, sid: report.sid, isScanResponse: report.kind.contains(.scanResponse))
        beginning.data += report.data.prefix(Self.longest - beginning.data.count)
        guard report.status == .incomplete else {
            return AdvertisingReport(
                kind: AdvertisingReport.Kind(report.kind), address: address, data: beginning.data, rssi: report.rssi)
        }
        if beginnings.count == Self.most { beginnings.removeFirst() }
        beginnings.append(beginning)
        return nil
    }

    mutating func reset() { beginnings.removeAll() }
}

extension AdvertisingReport.Kind {
    /// The legacy PDU that allows the same; one that a central may answer with a connection is never taken for one that
    /// it may not, nor the other way round.
    fileprivate init(_ kind: ExtendedAdvertisingReport.Kind) {
        self =
            if kind.contains(.scanResponse) {
                .scanResponse
            } else if kind.contains([.connectable, .directed]) {
                .directed
            } else if kind.contains(.connectable) {
                .undirected
            } else if kind.contains(.scannable) {
                .scannable
            } else {
                .nonConnectable
            }
    }
}
