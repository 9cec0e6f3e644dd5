import Basics
import BlueZ
import Bluetooth
import CommandSupport
import DBus
import Drivers
import Glibc
import Linux
import Sockets

/// Collects facts from the kernel, bluetoothd and D-Bus, within a time limit.
enum MachineProbe {
    private static let limit = Duration.milliseconds(700)

    static func facts(_ files: FileTree = FileTree()) throws -> MachineFacts {
        let meter = Meter()
        var facts = MachineFacts(files, release: release())
        let version = facts.program.flatMap { try? ChildProcess($0, ["--version"]) }
        if facts.kernel.hasBluetooth { facts.kernel.socketError = socketError() }
        if facts.kernel.hasBluetooth, facts.kernel.socketError == nil {
            for name in facts.kernel.interfaces {
                facts.kernel.states[name] = UInt16(name.dropFirst("hci".count)).flatMap(AdapterState.init)
            }
        }
        let loop = EventLoop(pace: .real())
        let answer = try loop.run { await ask(.system, on: loop) }
        facts.bus = answer.bus
        facts.take(answer.daemon, files)
        facts.freePort = try loop.run { freePort(on: loop) }
        let rest = max(limit - .nanoseconds(meter.elapsed), .milliseconds(100))
        facts.version = version?.line(within: rest).flatMap { DaemonVersion(trimmed($0)) }
        return facts
    }

    /// As `uname -r` prints it.
    private static func release() -> String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "" }
        return unsafe withUnsafeBytes(of: &name.release) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The `errno(3)` of opening a Bluetooth socket; nil when it succeeds.
    private static func socketError() -> Int32? {
        let hci: CInt = 1  // BTPROTO_HCI
        let descriptor = socket(AF_BLUETOOTH, CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), hci)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return nil
    }

    private static func ask(
        _ address: BusAddress, on loop: EventLoop
    ) async -> (bus: MachineFacts.Bus, daemon: BlueZ.Daemon?) {
        guard address.text.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:path=") }) else {
            return (.unasked(address: address.text), nil)
        }
        guard !isCrowded(address.text) else {
            return (.refused("the bus at \(address.text.quoted) accepts no more connections"), nil)
        }
        let connection: Connection
        do {
            connection = try await Connection.open(address, on: loop, within: limit)
        } catch {
            switch error {
            case .unreachable: return (.unreachable("\(error)"), nil)
            case .refused: return (.refused("\(error)"), nil)
            }
        }
        let end = loop.call(at: .start.advanced(by: limit)) { connection.assumeIsolated { $0.close() } }
        let daemon = (try? await Daemon.query(connection)) ?? .silent
        end.cancel()
        await connection.close()
        return (.open, daemon)
    }

    /// Whether libdbus would block until the bus accepts the connection.
    private static func isCrowded(_ text: String) -> Bool {
        let path = text.dropFirst("unix:path=".count).prefix { $0 != "," && $0 != ";" }.utf8
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        return code == EAGAIN
    }

    /// The port that `serve` would use.
    private static func freePort(on loop: EventLoop) -> Int? {
        customaryPorts.first { port in
            let address = StreamAddress.tcp(host: "127.0.0.1", port: UInt16(clamping: port))
            guard let listener = try? StreamListener(at: address, on: loop, whenConnected: { $0.close() }) else {
                return false
            }
            listener.close()
            return true
        }
    }
}

extension MachineFacts {
    fileprivate mutating func take(_ answer: BlueZ.Daemon?, _ files: FileTree) {
        switch answer {
        case nil: daemon = .unasked
        case .absent?: daemon = .absent
        case .forbidden?: daemon = .forbidden
        case .silent?: daemon = .silent
        case .answering(let process, let adapters)?:
            daemon = .answering(adapters.map { Adapter($0) })
            if let process { read(process: process, files) }
        }
    }
}

extension MachineFacts.Adapter {
    fileprivate init(_ adapter: BlueZ.Adapter) {
        self.init(
            name: adapter.name, address: adapter.address.map { $0.description }, isPowered: adapter.isPowered,
            servesAttributes: adapter.servesAttributes, freeAdvertisements: adapter.freeAdvertisements,
            roles: adapter.roles)
    }
}
