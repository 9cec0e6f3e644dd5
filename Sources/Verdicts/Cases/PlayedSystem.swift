package import Basics
import BlueZServer
package import Bluetooth
import DBus
package import Drivers
import Glibc
import Linux
import Sockets
import SystemBluetooth
import VirtualWorld

/// The Bluetooth service of an operating system that is played for programs: bluetoothd, on a message bus.
package struct PlayedSystem: Sendable {
    /// The socket of the bus; nil: one in a temporary folder.
    private let path: String?
    /// As it was read.
    package let text: String

    /// Reads the value of `--system`: `bluez`, or `bluez:unix:PATH`.
    package init(_ text: String) throws(Obstacle) {
        self.text = text
        guard text != "bluez" else {
            path = nil
            return
        }
        guard text.hasPrefix("bluez:"), case .unix(let path)? = try? StreamAddress(String(text.dropFirst(6))),
            !path.contains(where: { ",;=%".contains($0) })
        else {
            throw Obstacle(
                .usage, "--system \(text): not bluez or bluez:unix:PATH, for example bluez:unix:/tmp/bluez.bus")
        }
        self.path = path
    }

    /// A service that is being played, until `close`.
    package struct Running: Sendable {
        /// The socket of the bus.
        private let path: String
        private let folder: String?
        private let bus: OwnBus?
        private let service: BluetoothService
        /// The address of the adapter.
        package let adapter: DeviceAddress

        fileprivate init(
            path: String, folder: String?, bus: OwnBus?, service: BluetoothService, adapter: DeviceAddress
        ) {
            (self.path, self.folder, self.bus, self.service) = (path, folder, bus, service)
            self.adapter = adapter
        }

        /// The value of `DBUS_SYSTEM_BUS_ADDRESS` for programs.
        package var busAddress: String { "unix:path=\(path)" }

        /// The variables for a program.
        package var variables: [(name: String, value: String)] {
            [
                ("DBUS_SYSTEM_BUS_ADDRESS", busAddress), ("LUBDUB_CONTROLLER", "hci0"),
                // Qt asks the program of the service for its version, which is not bluetoothd here.
                ("BLUETOOTH_FORCE_DBUS_LE_VERSION", "5.66"),
            ]
        }

        package func close() async {
            await service.close()
            await bus?.bus.close()
            if let folder { unsafe rmdir(folder) }
        }
    }

    /// Plays the service for programs, which find the devices of a world; `whenUsed` is called when a program uses it first.
    ///
    /// A bus that is at the socket already is used, if it has no `org.bluez`; else this program is the bus.
    package func open(
        _ live: LiveWorld, on loop: EventLoop, whenUsed: @escaping @Sendable () -> Void = {}
    ) async throws(Obstacle) -> Running {
        let folder = path == nil ? try Self.temporaryFolder() : nil
        let path = path ?? "\(folder ?? "")/bus"
        do throws(Obstacle) {
            let (bus, connection) = try await connect(to: path, on: loop)
            let (address, bonds) = await live.visit { world, _ in
                (world.nextGuestAddress, world.bondDevices(withClientAt: world.nextGuestAddress))
            }
            do throws(CallFailure) {
                let service = try await BluetoothService.open(
                    .init(address), over: connection, on: loop, whenUsed: whenUsed
                ) { report in
                    await live.attach(SystemHost(.bluetoothd(), nil, bonds: bonds, user: PairingUser()), report: report)
                }
                return Running(path: path, folder: folder, bus: bus, service: service, adapter: address)
            } catch {
                await connection.close()
                await bus?.bus.close()
                throw Obstacle(.environment, "--system: \(error)")
            }
        } catch {
            if let folder { unsafe rmdir(folder) }
            throw error
        }
    }

    /// A bus of this program, and the lock of its socket.
    fileprivate struct OwnBus: Sendable {
        let bus: MessageBus
        let lock: FileLock
    }

    private func connect(to path: String, on loop: EventLoop) async throws(Obstacle) -> (OwnBus?, Connection) {
        let address = BusAddress.at("unix:path=\(path)")
        if let present = try? await Connection.open(address, on: loop, within: .seconds(2)) { return (nil, present) }
        let lock: FileLock
        do throws(FileLock.Refusal) { lock = try FileLock(path) } catch {
            throw Obstacle(.environment, "--system: another program uses \(path.quoted): choose another path")
        }
        do throws(ConnectionFailure) {
            let bus = try MessageBus(at: address, on: loop)
            return (OwnBus(bus: bus, lock: lock), try await Connection.open(address, on: loop))
        } catch { throw Obstacle(.environment, "--system: \(error)") }
    }

    /// A folder that only this user can read.
    private static func temporaryFolder() throws(Obstacle) -> String {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/lubdub-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        guard unsafe mkdtemp(&template) != nil else {
            throw Obstacle(
                .environment,
                "cannot create a folder for the bus in \(base.quoted): \(unsafe String(cString: strerror(errno))) "
                    + "(set TMPDIR to another folder)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
