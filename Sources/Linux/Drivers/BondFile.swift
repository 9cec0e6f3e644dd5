import Arguments
package import Bluetooth
package import CommandSupport
import Documents
import Glibc
package import SecurityManager
import TextFormatting

/// The keys of bonded devices in a file, so that they survive the process.
///
///     {"lubdub_bonds": 1, "devices": [{"address": "…", "bonds": [{"peer": "…", "irk": "…", "central": {…}, …}]}]}
///
/// Each device has an address, since its peers know it by that. Keys are hexadecimal, the most significant octet first. Only
/// the owner can read the file; a new one replaces it when it is complete.
package struct BondFile: Sendable {
    private let path: String
    private var devices: [(address: DeviceAddress, bonds: [Bond])] = []

    /// Reads the file; one that is missing has no bonds.
    package init(_ path: String) throws(CommandFailure) {
        self.path = path
        guard let octets = try Self.octets(of: path) else { return }
        let log = ProblemLog()
        let root = Cursor(try orFail(.usage) { try Node(json: octets, file: path) }, file: path, log: log)
        Self.grammar.check(root)
        guard log.problems.isEmpty else {
            throw CommandFailure(.usage, problems: log.problems.map(\.description))
        }
        devices = (root["devices"]?.items ?? []).compactMap { device in
            device["address"]?.address.map { ($0, (device["bonds"]?.items ?? []).compactMap(Bond.init)) }
        }
    }

    /// nil if there is no file.
    private static func octets(of path: String) throws(CommandFailure) -> [UInt8]? {
        if let octets = contents(of: path) { return octets }
        guard unsafe access(path, F_OK) != 0 else {
            throw CommandFailure(.usage, "--bonds: cannot read the file \(path.quoted)")
        }
        return nil
    }

    /// The address of its only device, or of its first.
    package var address: DeviceAddress? { devices.first?.address }

    /// The bonds of a device, the oldest first.
    package func bonds(of device: DeviceAddress) -> [Bond] { devices.first { $0.address == device }?.bonds ?? [] }

    /// Replaces the bonds of a device, in the file, too.
    package mutating func save(_ bonds: [Bond], of device: DeviceAddress) throws(CommandFailure) {
        if let index = devices.firstIndex(where: { $0.address == device }) {
            guard devices[index].bonds != bonds else { return }
            devices[index].bonds = bonds
        } else {
            devices.append((device, bonds))
        }
        try orFail(.environment) {
            let file = try OutputFile(path, isWhole: true, isPrivate: true)
            file.write(Array(Self.text(of: devices).utf8)[...])
            try file.close()
        }
    }

    /// The contents of a file, or the same without line feeds.
    package static func text(of devices: [(address: DeviceAddress, bonds: [Bond])], inLines: Bool = true) -> String {
        func line(_ depth: Int) -> String { inLines ? "\n" + String(repeating: " ", count: depth) : "" }
        let listed = devices.map { device in
            let bonds = device.bonds.map { line(6) + $0.json }.joined(separator: ",")
            return "\(line(4)){\"address\": \(device.address.description.quoted), \"bonds\": [\(bonds)]}"
        }
        return "{\(line(2))\"lubdub_bonds\": 1,\(line(2))\"devices\": [\(listed.joined(separator: ","))]\(line(0))}"
            + (inLines ? "\n" : "")
    }

    // MARK: The grammar

    private static let addressForm = Shape.form(
        Shape.Form(#"an address such as "C0:FF:EE:00:00:01/random""#, pattern: ".") { DeviceAddress($0) != nil })
    private static let keyForm = hexadecimal(16)

    private static func hexadecimal(_ count: Int) -> Shape {
        .form(
            Shape.Form("\(2 * count) hexadecimal digits", pattern: "^[0-9A-F]{\(2 * count)}$") {
                $0.utf8.count == 2 * count && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "F") ~= $0 }
                    && UInt128($0, radix: 16) != nil
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

    private static let bond = Shape.object([
        .init("peer", addressForm, required: true, "The identity address of the peer."),
        .init("irk", keyForm, "The peer's IRK."),
        .init("central", longTermKey, "The key of links in which this device is the central."),
        .init("peripheral", longTermKey, "The key of links in which this device is the peripheral."),
        .init("csrk", keyForm, "The peer's CSRK."), .init("own_csrk", keyForm, "The CSRK of this device."),
    ])

    private static let grammar = Grammar(
        root: .object([
            .init("lubdub_bonds", .version(1), required: true, "The version of the format."),
            .init(
                "devices",
                .list(
                    .object([
                        .init("address", addressForm, required: true, "The identity address of the device."),
                        .init("bonds", .list(bond, count: 0...255), required: true, "Its bonds, the oldest first."),
                    ]), count: 0...1000), required: true, "The devices."),
        ]), definitions: [], everywhere: [])
}

extension Cursor {
    fileprivate var address: DeviceAddress? { string.flatMap { DeviceAddress($0) } }
    fileprivate var key: UInt128? { string.flatMap { UInt128($0, radix: 16) } }
}

extension Bond {
    fileprivate init?(_ cursor: Cursor) {
        guard let peer = cursor["peer"]?.address else { return nil }
        self.init(with: peer)
        peerResolvingKey = cursor["irk"]?.key
        keyAsCentral = cursor["central"].flatMap(LongTermKey.init)
        keyAsPeripheral = cursor["peripheral"].flatMap(LongTermKey.init)
        peerSigningKey = cursor["csrk"]?.key
        signingKey = cursor["own_csrk"]?.key
    }

    fileprivate var json: String {
        let members: [(String, String?)] = [
            ("peer", peer.description.quoted), ("irk", peerResolvingKey.map { $0.digits.quoted }),
            ("central", keyAsCentral?.json), ("peripheral", keyAsPeripheral?.json),
            ("csrk", peerSigningKey.map { $0.digits.quoted }), ("own_csrk", signingKey.map { $0.digits.quoted }),
        ]
        return "{" + members.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }.joined(separator: ", ")
            + "}"
    }
}

extension LongTermKey {
    fileprivate init?(_ cursor: Cursor) {
        guard let value = cursor["ltk"]?.key, let size = cursor["size"]?.integer else { return nil }
        self.init(
            value, ediv: UInt16(clamping: cursor["ediv"]?.integer ?? 0),
            rand: UInt64(truncatingIfNeeded: cursor["rand"]?.key ?? 0), size: UInt8(clamping: size),
            isAuthenticated: cursor["authenticated"]?.bool ?? false,
            isSecureConnections: cursor["secure_connections"]?.bool ?? false)
    }

    fileprivate var json: String {
        let number = rand == 0 ? "" : ", \"rand\": \(String(UInt128(rand).digits.suffix(16)).quoted)"
        return "{\"ltk\": \(value.digits.quoted)\(ediv == 0 ? "" : ", \"ediv\": \(ediv)")\(number), \"size\": \(size), "
            + "\"authenticated\": \(isAuthenticated), \"secure_connections\": \(isSecureConnections)}"
    }
}

extension UInt128 {
    /// 32 hexadecimal digits.
    fileprivate var digits: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
