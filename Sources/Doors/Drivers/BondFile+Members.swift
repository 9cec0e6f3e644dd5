import Basics
import Bluetooth
import Documents
import GATT
import LEHost
import ScenarioLanguage
import SecurityManager

// The members of a file of bonds: how they are checked, read and written.

extension Grammar {
    private static let keyForm = hexadecimal(16)

    private static func hexadecimal(_ count: Int) -> Shape {
        .form(
            Shape.Form("\(2 * count) hexadecimal digits", pattern: "^[0-9A-Fa-f]{\(2 * count)}$") {
                $0.utf8.count == 2 * count && $0.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
            })
    }

    private static let longTermKey = Shape.object([
        .init("ltk", keyForm, required: true, "The Long Term Key."),
        .init("ediv", .integer(0...0xFFFF), "EDIV; 0 by default."),
        .init("rand", hexadecimal(8), "Rand; 0 by default."),
        .init("size", .integer(7...16), required: true, "The length of the key, in octets."),
        .init("authenticated", .boolean, required: true, "Whether pairing has authenticated the peer."),
        .init("secure_connections", .boolean, required: true, "Whether LE Secure Connections has generated it."),
    ])

    private static let configuration = Shape.object([
        .init("handle", .integer(1...0xFFFF), required: true, "The handle of the value."),
        .init("value", .integer(1...3), required: true, "The Client Characteristic Configuration."),
    ])

    private static let client = Shape.object([
        .init("database_hash", keyForm, required: true, "The Database Hash of the attributes that the client knows."),
        .init("configurations", .list(configuration, count: 0...0xFFFF), "Its subscriptions."),
        .init("features", .integer(0...7), "Its Client Supported Features; 0 by default."),
        .init("change_aware", .boolean, "Whether it is change-aware; true by default."),
    ])

    private static let bond = Shape.object([
        .init("peer", .address, required: true, "The identity address of the peer."),
        .init("irk", keyForm, "The peer's IRK."),
        .init("central", longTermKey, "The key of links in which this device is the central."),
        .init("peripheral", longTermKey, "The key of links in which this device is the peripheral."),
        .init("csrk", keyForm, "The peer's CSRK."), .init("own_csrk", keyForm, "The CSRK of this device."),
        .init("client", client, "What the server of this device knows of the peer."),
    ])

    static let bonds = Grammar(
        root: .object([
            .init("lubdub_bonds", .version(1), required: true, "The version of the format."),
            .init(
                "devices",
                .list(
                    .object([
                        .init("address", .address, required: true, "The identity address of the device."),
                        .init("irk", keyForm, "The IRK of the device, if it uses private addresses."),
                        .init("bonds", .list(bond, count: 0...255), required: true, "Its bonds, the oldest first."),
                    ]), count: 0...1000), required: true, "The devices."),
        ]), definitions: [], everywhere: [])
}

extension Cursor {
    private var key: UInt128? { string.flatMap { UInt128($0, radix: 16) } }

    /// The devices of a checked file.
    var devices: [(address: DeviceAddress, memory: HostMemory)] {
        (self["devices"]?.items ?? []).compactMap { device in device.address(of: "address").map { ($0, device.memory) }
        }
    }

    private func address(of member: String) -> DeviceAddress? { self[member]?.address }

    private var memory: HostMemory {
        var memory = HostMemory(resolvingKey: self["irk"]?.key ?? 0)
        for item in self["bonds"]?.items ?? [] {
            guard let bond = item.bond else { continue }
            memory.bonds.append(bond)
            memory.clients[bond.peer] = item["client"]?.client
        }
        return memory
    }

    private var bond: Bond? {
        guard let peer = address(of: "peer") else { return nil }
        var bond = Bond(with: peer)
        bond.peerResolvingKey = self["irk"]?.key
        bond.keyAsCentral = self["central"]?.longTermKey
        bond.keyAsPeripheral = self["peripheral"]?.longTermKey
        bond.peerSigningKey = self["csrk"]?.key
        bond.signingKey = self["own_csrk"]?.key
        return bond
    }

    private var longTermKey: LongTermKey? {
        guard let value = self["ltk"]?.key, let size = self["size"]?.integer else { return nil }
        return LongTermKey(
            value, ediv: UInt16(clamping: self["ediv"]?.integer ?? 0),
            rand: UInt64(truncatingIfNeeded: self["rand"]?.key ?? 0), size: UInt8(clamping: size),
            isAuthenticated: self["authenticated"]?.bool ?? false,
            isSecureConnections: self["secure_connections"]?.bool ?? false)
    }

    private var client: BondedClient.Record? {
        guard let hash = self["database_hash"]?.key else { return nil }
        var configurations: [UInt16: ClientConfiguration] = [:]
        for item in self["configurations"]?.items ?? [] {
            guard let handle = item["handle"]?.integer, let value = item["value"]?.integer else { continue }
            configurations[UInt16(clamping: handle)] = ClientConfiguration(rawValue: UInt16(clamping: value))
        }
        return BondedClient.Record(
            configurations, features: UInt8(clamping: self["features"]?.integer ?? 0),
            isChangeAware: self["change_aware"]?.bool ?? true, databaseHash: hash.octets)
    }
}

/// An object with the members that have a value.
private func object(_ members: [(String, String?)]) -> String {
    jsonObject(members.compactMap { key, value in value.map { (key, $0) } })
}

extension Bond {
    /// The bond, with what the server knows of the peer.
    func json(_ client: BondedClient.Record?) -> String {
        object([
            ("peer", peer.description.quoted), ("irk", peerResolvingKey.map { $0.digits.quoted }),
            ("central", keyAsCentral?.json), ("peripheral", keyAsPeripheral?.json),
            ("csrk", peerSigningKey.map { $0.digits.quoted }), ("own_csrk", signingKey.map { $0.digits.quoted }),
            ("client", client?.json),
        ])
    }
}

extension LongTermKey {
    fileprivate var json: String {
        object([
            ("ltk", value.digits.quoted), ("ediv", ediv == 0 ? nil : "\(ediv)"),
            ("rand", rand == 0 ? nil : String(UInt128(rand).digits.suffix(16)).quoted), ("size", "\(size)"),
            ("authenticated", "\(isAuthenticated)"), ("secure_connections", "\(isSecureConnections)"),
        ])
    }
}

extension BondedClient.Record {
    fileprivate var json: String {
        let configurations = configurations.sorted { $0.key < $1.key }.map { handle, value in
            object([("handle", "\(handle)"), ("value", "\(value.rawValue)")])
        }
        return object([
            ("database_hash", UInt128(octets: databaseHash).digits.quoted),
            ("configurations", configurations.isEmpty ? nil : "[\(configurations.joined(separator: ", "))]"),
            ("features", features == 0 ? nil : "\(features)"), ("change_aware", isChangeAware ? nil : "false"),
        ])
    }
}

extension UInt128 {
    /// 32 hexadecimal digits.
    var digits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The least significant octet first.
    fileprivate init(octets: [UInt8]) { self = octets.reversed().reduce(0) { $0 << 8 | UInt128($1) } }

    /// The least significant octet first.
    fileprivate var octets: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: self >> UInt128(8 * $0)) } }
}
