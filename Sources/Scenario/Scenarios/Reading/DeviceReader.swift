import Bluetooth
import Documents
import Spelling

/// Reads devices from checked documents.
struct DeviceReader {
    let curves: CurveReader
    let changes: AttributeChanges

    /// The longest Device Name, in octets.  Core 6.0, Vol 3, Part C, section 12.1.
    private static let longestName = 248

    func devices(_ cursors: [Cursor]) -> [Device] {
        var taken: Set<DeviceAddress> = []
        for cursor in cursors.compactMap({ $0["address"] }) {
            guard let address = cursor.address else { continue }
            if !taken.insert(address).inserted {
                cursor.note(.duplicateAddress, "another device has the address \(address)")
            }
        }
        var next: UInt64 = 0xC0FF_EE00_0001
        return cursors.map { cursor in
            // Default addresses are numbered by position in the list, without those in use.
            while taken.contains(DeviceAddress(next, .random)) { next += 1 }
            let address = cursor["address"]?.address ?? DeviceAddress(next, .random)
            taken.insert(address)
            return device(cursor, address)
        }
    }

    private func device(_ cursor: Cursor, _ address: DeviceAddress) -> Device {
        let id = cursor["id"]?.string ?? ""
        let link = link(cursor["link"])
        let name = cursor["name"].flatMap { $0.text(atMost: Self.longestName) }
        let services = ServiceReader(curves: curves)
            .services(cursor["services"]?.items ?? [], link, changedBy: changes.of(id))
        var advertising = advertising(cursor["advertise"])
        if cursor["advertise"]?["services"] == nil { advertising.payload.services = services.advertised }
        return Device(
            id: id, name: name ?? id, role: cursor["role"].choice() ?? .peripheral,
            address: address, distance: cursor["distance"]?.string.flatMap { Units.quantity($0, unit: "m") } ?? 1,
            connections: cursor["connections"]?.integer ?? 1, advertising: advertising,
            link: link, security: cursor["security"].map(security),
            services: services)
    }

    private func advertising(_ cursor: Cursor?) -> Advertising {
        func interval(_ cursor: Cursor?) -> Duration {
            within(cursor, .milliseconds(20) ... .milliseconds(10_240)) ?? .milliseconds(100)
        }
        let phases = [cursor?["fast"], cursor?["slow"]].compactMap(\.self).map { phase in
            Advertising.Phase(interval: interval(phase["interval"]), duration: phase["for"]?.duration)
        }
        if let single = cursor?["interval"], !phases.isEmpty {
            single.note(.conflict, "\"interval\" and \"fast\" or \"slow\" exclude each other: delete one")
        }
        return Advertising(
            phases: phases.isEmpty
                ? [Advertising.Phase(interval: interval(cursor?["interval"]), duration: nil)] : phases,
            payload: payload(cursor), scanResponse: cursor?["scan_response"].map(payload),
            isConnectable: cursor?["connectable"]?.bool ?? true)
    }

    private func payload(_ cursor: Cursor?) -> Advertising.Payload {
        func octets(_ item: Cursor) -> [UInt8] { item["octets"]?.string.flatMap(Units.octets) ?? [] }
        return Advertising.Payload(
            services: cursor?["services"]?.items.compactMap { $0.string.flatMap { UUID($0) } } ?? [],
            serviceData: cursor?["service_data"]?.items.compactMap { item in
                item["uuid"]?.string.flatMap { UUID($0) }.map {
                    Advertising.ServiceData(uuid: $0, octets: octets(item))
                }
            } ?? [],
            manufacturerData: cursor?["manufacturer_data"]?.items.compactMap { item in
                (item["company"]?.integer).flatMap(UInt16.init(exactly:)).map {
                    Advertising.ManufacturerData(company: $0, octets: octets(item))
                }
            } ?? [],
            appearance: (cursor?["appearance"]?.integer).flatMap(UInt16.init(exactly:)),
            txPower: (cursor?["tx_power"]?.integer).flatMap(Int8.init(exactly:)))
    }

    private func link(_ cursor: Cursor?) -> Link {
        Link(
            interval: within(cursor?["interval"], .microseconds(7_500) ... .seconds(4)),
            latency: cursor?["latency"]?.integer,
            timeout: within(cursor?["timeout"], .milliseconds(100) ... .seconds(32)), mtu: cursor?["mtu"]?.integer)
    }

    private func security(_ cursor: Cursor) -> Security {
        Security(
            io: cursor["io"].choice() ?? .noInputNoOutput, passkey: cursor["passkey"]?.integer,
            isBonding: cursor["bonding"]?.bool ?? true,
            hasSecureConnections: cursor["secure_connections"]?.bool ?? true, bonds: cursor["bonds"]?.integer)
    }
}

extension Cursor {
    fileprivate var address: DeviceAddress? { string.flatMap { DeviceAddress($0) } }
}

/// The duration at a cursor; nil after noting that it is out of range.
func within(_ cursor: Cursor?, _ range: ClosedRange<Duration>) -> Duration? {
    guard let cursor, let duration = cursor.duration else { return nil }
    guard range.contains(duration) else {
        cursor.note(.outOfRange, "expected \(range.lowerBound) to \(range.upperBound), found \(cursor.node.kind)")
        return nil
    }
    return duration
}
