import VirtualWorld
package import Basics
import BlueZServer
import DBus
package import Drivers
import Linux
import Sockets
import SystemBluetooth

/// The Bluetooth service of an operating system that is played for programs: bluetoothd, on a message bus at a socket.
package struct PlayedSystem: Sendable {
    private let path: String

    /// Reads the value of `--system`: `bluez:unix:PATH`.
    package init(_ text: String) throws(Obstacle) {
        guard text.hasPrefix(Self.prefix), case .unix(let path)? = try? StreamAddress(String(text.dropFirst("bluez:".count))),
            !path.contains(where: { ",;=%".contains($0) })
        else {
            throw Obstacle(.usage, "--system \(text): not bluez:unix:PATH, for example bluez:unix:/tmp/bluez.bus")
        }
        self.path = path
    }

    private static let prefix = "bluez:unix:"

    /// The value of `DBUS_SYSTEM_BUS_ADDRESS` for programs.
    package var busAddress: String { "unix:path=\(path)" }

    /// A service that is being played, until `close`.
    package struct Running: Sendable {
        fileprivate let bus: MessageBus?
        fileprivate let service: BluetoothService

        package func close() async {
            await service.close()
            await bus?.close()
        }
    }

    /// Plays the service for programs, which find the devices of a world.
    ///
    /// A bus that is at the socket already is used, if it has no `org.bluez`; else this program is the bus.
    package func open(_ live: LiveWorld, on loop: EventLoop) async throws(Obstacle) -> Running {
        let (bus, connection) = try await connect(on: loop)
        let address = await live.visit { world, _ in world.nextGuestAddress }
        do throws(CallFailure) {
            let service = try await BluetoothService.open(.init(address), over: connection, on: loop) { report in
                await live.attach(SystemHost(.bluetoothd(), nil, user: PairingUser()), report: report)
            }
            return Running(bus: bus, service: service)
        } catch {
            await connection.close()
            await bus?.close()
            throw Obstacle(.environment, "--system bluez:unix:\(path): \(error)")
        }
    }

    private func connect(on loop: EventLoop) async throws(Obstacle) -> (MessageBus?, Connection) {
        let address = BusAddress.at(busAddress)
        if let present = try? await Connection.open(address, on: loop, within: .seconds(2)) { return (nil, present) }
        do throws(ConnectionFailure) {
            let bus = try MessageBus(at: address, on: loop)
            return (bus, try await Connection.open(address, on: loop))
        } catch { throw Obstacle(.environment, "--system bluez:unix:\(path): \(error)") }
    }
}
