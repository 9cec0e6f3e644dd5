import Basics
import DBus
import Sockets

/// The message bus of a played system: this program's, or one of another program.
actor PlayedBus: LoopActor {
    nonisolated let loop: EventLoop
    private let path: String
    /// Whether it is this program's.
    nonisolated let isOwn: Bool
    /// Held while the bus is this program's, where others can reach it.
    private let lock: FileLock?
    private var bus: MessageBus?
    private var isClosed = false

    private init(_ path: String, _ lock: FileLock?, _ bus: MessageBus?, on loop: EventLoop) {
        (self.path, self.lock, self.bus, self.loop) = (path, lock, bus, loop)
        isOwn = bus != nil
    }

    /// Uses the bus at a socket, or else becomes the bus there; returns a connection, too. Nobody else has a socket that
    /// `isPrivate`.
    static func open(
        _ path: String, isPrivate: Bool, on loop: EventLoop
    ) async throws(Obstacle) -> (PlayedBus, Connection) {
        let address = BusAddress.at("unix:path=\(path)")
        var lock: FileLock?
        if !isPrivate {
            if let present = try? await Connection.open(address, on: loop, within: .seconds(2)) {
                return (PlayedBus(path, nil, nil, on: loop), present)
            }
            do throws(FileLock.Refusal) { lock = try FileLock(path) } catch {
                throw Obstacle(.environment, "--system: another program uses \(path.quoted): choose another path")
            }
        }
        do throws(ConnectionFailure) {
            let bus = PlayedBus(path, lock, try MessageBus(at: address, on: loop), on: loop)
            return (bus, try await bus.connect())
        } catch { throw Obstacle(.environment, "--system: \(error)") }
    }

    private nonisolated var address: BusAddress { .at("unix:path=\(path)") }

    func connect() async throws(ConnectionFailure) -> Connection { try await Connection.open(address, on: loop) }

    /// Ends it with all connections, or begins it again; a bus of another program stays as it is.
    func turn(_ isOn: Bool) async {
        guard isOwn, !isClosed, isOn == (bus == nil) else { return }
        if isOn {
            bus = try? MessageBus(at: address, on: loop)
        } else {
            await bus.take()?.close()
        }
    }

    func close() async {
        await turn(false)
        isClosed = true
    }
}
