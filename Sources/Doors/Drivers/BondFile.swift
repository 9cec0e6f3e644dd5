package import Basics
package import Bluetooth
import Documents
import Glibc
package import LEHost
import Linux
package import SecurityManager
import Sockets

/// What bonded devices keep, in a file, so that it survives the process.
///
///     {"lubdub_bonds": 1, "devices": [{"address": "…", "bonds": [{"peer": "…", "irk": "…", "central": {…}, …}]}]}
///
/// Each device has an address, since its peers know it by that. Keys are hexadecimal, the most significant octet first. Only
/// the owner can read the file; a new one replaces it when it is complete. As long as there is a copy of this value, no other
/// process can use the file: each would write only the bonds that it knows.
package struct BondFile: Sendable {
    private let path: String
    private let lock: FileLock?
    private var devices: [(address: DeviceAddress, memory: HostMemory)] = []

    /// Reads the file; one that is missing has no bonds.  Throws if it could not be written later, or is in use.
    package init(_ path: String) throws(Obstacle) {
        self.path = path
        lock = try Self.lock(path)
        _ = try orFail(.environment, "--bonds: ") { try WholeFile(path) }
        guard let octets = try Self.octets(of: path) else { return }
        let log = ProblemLog()
        let root = Node.repaired(json: octets, file: path, log: log).map { Cursor($0, file: path, log: log) }
        if let root { Grammar.bonds.check(root) }
        guard let root, log.problems.isEmpty else {
            throw Obstacle(.usage, problems: log.problems.flatMap(\.lines))
        }
        devices = root.devices
    }

    /// Nil if the path names a pipe or a device, and where nothing can be locked.
    private static func lock(_ path: String) throws(Obstacle) -> FileLock? {
        guard FilePlace(path) != nil else { return nil }
        let file = resolvedPath(path)
        do throws(FileLock.Refusal) { return try FileLock(file) } catch {
            switch error {
            case .unavailable: return nil
            case .held(let process):
                let who = process.map { "by process \($0)" } ?? "by another process"
                throw Obstacle(
                    .environment, "--bonds: \(path.quoted) is used \(who): end that, or choose another file")
            case .occupied(let other):
                throw Obstacle(
                    .environment,
                    "--bonds: \(other.quoted), where the lock of \(path.quoted) would be, is another file: move it away"
                )
            }
        }
    }

    /// nil if there is no file.
    private static func octets(of path: String) throws(Obstacle) -> [UInt8]? {
        if let octets = contents(of: path) { return octets }
        guard unsafe access(path, F_OK) != 0 else {
            throw Obstacle(.usage, "--bonds: cannot read the file \(path.quoted)")
        }
        return nil
    }

    /// The address of its only device, or of its first.
    package var address: DeviceAddress? { devices.first?.address }

    /// The bonds of a device, the oldest first.
    package func bonds(of device: DeviceAddress) -> [Bond] { memory(of: device)?.bonds ?? [] }

    /// What a device keeps; nil if it is not in the file.
    package func memory(of device: DeviceAddress) -> HostMemory? { devices.first { $0.address == device }?.memory }

    /// Replaces the bonds of a device, in the file, too.
    package mutating func save(_ bonds: [Bond], of device: DeviceAddress) throws(Obstacle) {
        var memory = memory(of: device) ?? HostMemory()
        memory.bonds = bonds
        try save(memory, of: device)
    }

    /// Replaces what a device keeps, in the file, too.
    package mutating func save(_ memory: HostMemory, of device: DeviceAddress) throws(Obstacle) {
        if let index = devices.firstIndex(where: { $0.address == device }) {
            guard devices[index].memory != memory else { return }
            devices[index].memory = memory
        } else {
            devices.append((device, memory))
        }
        try orFail(.environment) {
            let file = try OutputFile(path, isWhole: true, isPrivate: true)
            file.write(Array(Self.text(of: devices).utf8)[...])
            try file.close()
        }
    }

    /// The contents of a file with the bonds of one device, without line feeds.
    package static func line(_ bonds: [Bond], of device: DeviceAddress) -> String {
        text(of: [(device, HostMemory(bonds: bonds))], inLines: false)
    }

    private static func text(of devices: [(address: DeviceAddress, memory: HostMemory)], inLines: Bool = true) -> String
    {
        func line(_ depth: Int) -> String { inLines ? "\n" + String(repeating: " ", count: depth) : "" }
        let listed = devices.map { address, memory in
            let bonds = memory.bonds.map { line(6) + $0.json(memory.clients[$0.peer]) }.joined(separator: ",")
            let key = memory.resolvingKey == 0 ? "" : "\"irk\": \(memory.resolvingKey.digits.quoted), "
            return "\(line(4)){\"address\": \(address.description.quoted), \(key)\"bonds\": [\(bonds)]}"
        }
        return "{\(line(2))\"lubdub_bonds\": 1,\(line(2))\"devices\": [\(listed.joined(separator: ","))]\(line(0))}"
            + (inLines ? "\n" : "")
    }
}
