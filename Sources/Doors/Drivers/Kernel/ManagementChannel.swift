import Basics
import Glibc
import Linux

/// The kernel's Bluetooth Management API.
///
/// Its methods wait for the kernel's answers; only setting the power takes longer than a few milliseconds.
struct ManagementChannel: ~Copyable {
    private static let maximumLength = 1 << 12
    private static let timeout = Duration.seconds(5)

    private let socket: HCISocket

    init() throws(AdapterFailure) {
        do throws(HCISocket.Refused) { socket = try HCISocket(.control) } catch { throw .system(code: error.code) }
    }

    /// The indices of the adapters that are ready for use.
    func adapters() throws(AdapterFailure) -> [UInt16] {
        let answer = try request(ManagementPacket(.readIndexList), .readIndexList)
        return try Self.reading(answer) { (reader) throws(Malformed) in
            let count = Int(try reader.uint16("Num_Controllers"))
            return count == 0 ? [] : Array(try reader.uint16s("Controller_Index").prefix(count))
        }
    }

    func information(about adapter: UInt16) throws(AdapterFailure) -> AdapterInformation {
        let answer = try request(ManagementPacket(.readInformation, of: adapter), .readInformation)
        do throws(Malformed) { return try AdapterInformation(answer) } catch { throw .malformed(error) }
    }

    /// The number of connections that the kernel's host has; 0 if the adapter is off.
    func connections(of adapter: UInt16) throws(AdapterFailure) -> Int {
        do throws(AdapterFailure) {
            let answer = try request(ManagementPacket(.getConnections, of: adapter), .getConnections)
            return try Self.reading(answer) { (reader) throws(Malformed) in Int(try reader.uint16("Connection_Count")) }
        } catch {
            guard error == .refused(.notPowered) else { throw error }
            return 0
        }
    }

    func setPower(of adapter: UInt16, isOn: Bool) throws(AdapterFailure) {
        _ = try request(ManagementPacket(.setPowered, of: adapter, [isOn ? 1 : 0]), .setPowered)
    }

    private static func reading<Value>(
        _ octets: [UInt8], _ read: (inout OctetReader) throws(Malformed) -> Value
    ) throws(AdapterFailure) -> Value {
        var reader = OctetReader(octets)
        do throws(Malformed) { return try read(&reader) } catch { throw .malformed(error) }
    }

    /// The answer's parameters; skips the kernel's other events.
    private func request(_ packet: ManagementPacket, _ command: ManagementCommand) throws(AdapterFailure) -> [UInt8] {
        let octets = packet.octets
        // The kernel returns 0 for commands that it answers with a failure.
        guard unsafe Glibc.send(socket.descriptor, octets, octets.count, 0) >= 0 else { throw .system(code: errno) }
        var buffer = [UInt8](repeating: 0, count: Self.maximumLength)
        let deadline = now + Self.timeout
        while true {
            var readable = pollfd(fd: socket.descriptor, events: CShort(POLLIN), revents: 0)
            let rest = deadline - now
            guard rest > .zero else { throw .noAnswer }
            let ready = unsafe poll(&readable, 1, CInt(clamping: rest.inNanoseconds / 1_000_000 + 1))
            guard ready > 0 else {
                if ready < 0, errno != EINTR { throw .system(code: errno) }
                continue
            }
            let count = unsafe recv(socket.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw .system(code: count < 0 ? errno : EPIPE) }
            switch try Self.answer(in: Array(buffer[..<count]), to: command, of: packet.adapter) {
            case .success(let parameters): return parameters
            case .failure(let status): throw .refused(status)
            case nil: continue
            }
        }
    }

    private static func answer(
        in octets: [UInt8], to command: ManagementCommand, of adapter: UInt16
    ) throws(AdapterFailure) -> Result<[UInt8], ManagementStatus>? {
        do throws(Malformed) { return try ManagementPacket(octets).answer(to: command, of: adapter) } catch {
            throw .malformed(error)
        }
    }

    /// The time since the machine started.
    private var now: Duration { .nanoseconds(Meter.now(CLOCK_MONOTONIC)) }
}
