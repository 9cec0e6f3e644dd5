import Bluetooth
package import HCI

/// Reassembles extended advertising: the next report of the same advertiser and set continues incomplete data, possibly
/// after reports of others.  Core 6.0, Vol 4, Part E, section 7.7.65.13.
package struct ReportAssembler: Sendable {
    /// The maximum number of octets of an advertiser, section 7.8.57; further ones are dropped.
    static let maximumDataCount = AdvertisingData.Limit.extended.rawValue
    /// The maximum number of advertisers with incomplete data; the least recent one makes room for another.
    static let maximumCount = 16

    private struct Beginning: Sendable {
        let address: DeviceAddress
        let sid: UInt8
        let isScanResponse: Bool
        var data: [UInt8] = []

        func continues(with report: ExtendedAdvertisingReport) -> Bool {
            address == report.address && sid == report.sid
                && isScanResponse == report.kind.contains(.scanResponse)
        }
    }

    private var beginnings: [Beginning] = []

    /// No data is incomplete.
    package init() {}

    /// Adds a report, and returns the complete one after its last part.  Anonymous reports are ignored.
    package mutating func receive(_ report: ExtendedAdvertisingReport) -> AdvertisingReport? {
        guard let address = report.address else { return nil }
        let known = beginnings.firstIndex { $0.continues(with: report) }
        var beginning =
            known.map { beginnings.remove(at: $0) }
            ?? Beginning(
                address: address, sid: report.sid, isScanResponse: report.kind.contains(.scanResponse))
        beginning.data += report.data.prefix(Self.maximumDataCount - beginning.data.count)
        guard report.status == .incomplete else {
            var whole = AdvertisingReport(
                kind: AdvertisingReport.Kind(report.kind), address: address, data: beginning.data, rssi: report.rssi)
            (whole.isExtended, whole.isTruncated) = (!report.kind.contains(.legacy), report.status == .truncated)
            return whole
        }
        if beginnings.count == Self.maximumCount { beginnings.removeFirst() }
        beginnings.append(beginning)
        return nil
    }

    mutating func reset() { beginnings.removeAll() }
}

extension AdvertisingReport.Kind {
    /// The legacy PDU that permits the same; connectable if and only if `kind` is.
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
