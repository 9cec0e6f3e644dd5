package import Basics
package import Bluetooth
import Documents
import Glibc
package import LEHost
import Linux
package import SecurityManager
import Sockets
import Synchronization

/// What bonded devices keep, in a file, so that it survives the process.
///
///     {"lubdub_bonds": 1, "devices": [{"address": "…", "bonds": [{"peer": "…", "irk": "…", "central": {…}, …}]}]}
///
/// Each device has an address, since its peers know it by that. Keys are hexadecimal, the most significant octet first. Only
/// the owner can read the file; a new one replaces it when it is complete. As long as there is this object, no other process
/// can use the file: each would write only the bonds that it knows.
///
/// If the file cannot be written, the object keeps the bonds, and reports this once; the next change tries again, and so does `finish`.
package final class BondFile: Sendable {
    /// Replaces the file by this text.
    typealias Writer = @Sendable (String) -> OutputFailure?

    private struct State {
        var devices: [(address: DeviceAddress, memory: HostMemory)] = []
        /// Where a device is among them.
        var places: [DeviceAddress: Int] = [:]
        /// Whether the file has all of `devices`.
        var isWritten = true
        /// Whether it is reported that it has not.
        var isReported = false

        /// Replaces what a device keeps.
        mutating func keep(_ memory: HostMemory, of device: DeviceAddress) {
            if let place = places[device] {
                guard devices[place].memory != memory else { return }
                devices[place].memory = memory
            } else {
                places[device] = devices.count
                devices.append((device, memory))
            }
            isWritten = false
        }
    }

    private let lock: FileLock?
    private let writer: Writer
    private let state: Mutex<State>

    /// Reads the file; one that is missing has no bonds.  Throws if it could not be written later, or is in use.
    package convenience init(_ path: String) throws(Obstacle) {
        try self.init(path) { text in
            do throws(OutputFailure) {
                let file = try OutputFile(path, isWhole: true, isPrivate: true)
                file.write(Array(text.utf8)[...])
                try file.close()
                return nil
            } catch { return error }
        }
    }

    /// The file, which `writer` writes.
    init(_ path: String, _ writer: @escaping Writer) throws(Obstacle) {
        self.writer = writer
        let refusal: Int32?
        (lock, refusal) = try Self.lock(path)
        _ = try orFail(.environment, "--bonds: ") { try WholeFile(path) }
        state = Mutex(State())
        Self.warn(path, refusal)
        guard let octets = try Self.octets(of: path) else { return }
        let log = ProblemLog()
        let root = Node.repaired(json: octets, file: path, log: log).map { Cursor($0, file: path, log: log) }
        if let root { Grammar.bonds.check(root) }
        guard let root, log.problems.isEmpty else {
            throw Obstacle(.usage, problems: log.problems.flatMap(\.lines))
        }
        state.withLock { state in
            for (device, memory) in root.devices { state.keep(memory, of: device) }
            state.isWritten = true
        }
    }

    /// No lock if the path names a pipe or a device; with an `errno(3)`, if nothing can be locked there.
    private static func lock(_ path: String) throws(Obstacle) -> (FileLock?, refusal: Int32?) {
        guard FilePlace(path) != nil else { return (nil, nil) }
        let file = resolvedPath(path)
        do throws(FileLock.Refusal) { return (try FileLock(file), nil) } catch {
            switch error {
            case .unavailable(let code): return (nil, code)
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

    /// Warns of other programs that could use the file, too.
    private static func warn(_ path: String, _ refusal: Int32?) {
        if let refusal {
            let reason = unsafe String(cString: strerror(refusal))
            Notices.warn(
                "--bonds: cannot lock \(path.quoted): \(reason) (end other programs that use the file, or choose another)"
            )
        }
        let names = FilePlace.names(path)
        if names > 1 {
            Notices.warn(
                "--bonds: \(path.quoted) has \(names) names (hard links); new bonds will be under this one only: name it in "
                    + "all programs")
        }
    }

    /// nil if there is no file.
    private static func octets(of path: String) throws(Obstacle) -> [UInt8]? {
        if let octets = contents(of: path) { return octets }
        guard unsafe access(path, F_OK) != 0 else {
            throw Obstacle(.usage, "--bonds: cannot read the file \(path.quoted): \(readingFailure(of: path).why)")
        }
        return nil
    }

    /// The address of its only device, or of its first.
    package var address: DeviceAddress? { state.withLock { $0.devices.first?.address } }

    /// The bonds of a device, the oldest first.
    package func bonds(of device: DeviceAddress) -> [Bond] { memory(of: device)?.bonds ?? [] }

    /// What a device keeps; nil if it is not in the file.
    package func memory(of device: DeviceAddress) -> HostMemory? {
        state.withLock { state in state.places[device].map { state.devices[$0].memory } }
    }

    /// Replaces the bonds of a device, in the file, too.
    package func save(_ bonds: [Bond], of device: DeviceAddress) {
        var memory = memory(of: device) ?? HostMemory()
        memory.bonds = bonds
        save([(device, memory)])
    }

    /// Replaces what devices keep, in the file, too, which is written once.
    package func save(_ memories: [(device: DeviceAddress, memory: HostMemory)]) {
        state.withLock { state in
            for (device, memory) in memories { state.keep(memory, of: device) }
            write(&state)
        }
    }

    /// Tries again to write what is not written yet; returns whether the file has everything.
    package func finish() -> Bool {
        state.withLock { state in
            write(&state)
            return state.isWritten
        }
    }

    /// Calls what uses a file of bonds, and finishes the file. Its exit code is that of a file that cannot be written if there are
    /// bonds that are not in the file.
    package static func finishing(
        _ file: BondFile?, _ body: () throws(Obstacle) -> ExitCode
    ) throws(Obstacle) -> ExitCode {
        do throws(Obstacle) {
            let code = try body()
            return file?.finish() == false ? .environment : code
        } catch {
            _ = file?.finish()
            throw error
        }
    }

    private func write(_ state: inout State) {
        guard !state.isWritten else { return }
        if let failure = writer(Self.text(of: state.devices)) {
            if !state.isReported {
                Notices.warn("\(failure) (remove the cause: Lubdub tries again with the next bond, and at the end)")
            }
            state.isReported = true
        } else {
            lock?.follow()
            (state.isWritten, state.isReported) = (true, false)
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
