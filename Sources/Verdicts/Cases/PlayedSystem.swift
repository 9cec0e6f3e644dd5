package import Basics
package import BlueZServer
package import Bluetooth
import DBus
package import Drivers
import Glibc
import Linux
import ScenarioModel
import Sockets
import SystemBluetooth
import VirtualWorld

/// The Bluetooth service of an operating system that is played for programs: bluetoothd, on a message bus.
package struct PlayedSystem: Sendable {
    /// How bluetoothd is played.
    package struct Settings: Sendable {
        /// `[GATT] Cache` in main.conf.
        package enum Cache: String, CaseIterable, Sendable {
            case always, yes, no
        }

        /// How long it waits.
        package enum Pace: String, CaseIterable, Sendable {
            /// As bluetoothd does.
            case real
            /// It leaves out what only waits.
            case quick
        }

        package var version = BlueZVersion.measured
        package var cache = Cache.always
        package var pace = Pace.real
        /// How many adapters the machine has: hci0, hci1, ...
        package var adapters = 1
        /// Whether it has what bluetoothd has with --experimental only.
        package var isExperimental = false

        package init() {}

        fileprivate var policy: HostPolicy {
            let cache: AttributeCache =
                switch cache {
                case .always: .all
                case .yes: .bonded
                case .no: .none
                }
            let policy = HostPolicy.bluetoothd(cache: cache, version: UInt8(version.number))
            return pace == .quick ? policy.hastened() : policy
        }
    }

    /// The socket of the bus; nil: one in a temporary folder.
    private let path: String?
    private let settings: Settings
    /// As it was read.
    package let text: String

    /// Reads the value of `--system`: `bluez`, or `bluez:unix:PATH`.
    package init(_ text: String, _ settings: Settings = Settings()) throws(Obstacle) {
        (self.text, self.settings) = (text, settings)
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
        private let bus: PlayedBus
        private let service: BluetoothService
        private let version: BlueZVersion
        /// The address of the adapter.
        package let address: DeviceAddress

        fileprivate init(
            path: String, folder: String?, bus: PlayedBus, service: BluetoothService, version: BlueZVersion,
            address: DeviceAddress
        ) {
            (self.path, self.folder, self.bus, self.service, self.version) = (path, folder, bus, service, version)
            self.address = address
        }

        /// The value of `DBUS_SYSTEM_BUS_ADDRESS` for programs.
        package var busAddress: String { "unix:path=\(path)" }

        /// The variables by which any program finds the service.
        package var variables: [(name: String, value: String)] {
            [
                ("DBUS_SYSTEM_BUS_ADDRESS", busAddress),
                // Qt asks the program of the service for its version, which is not bluetoothd here.
                ("BLUETOOTH_FORCE_DBUS_LE_VERSION", version.text),
                // noble, that is, its fork @stoprocent/noble, uses sockets of the kernel otherwise.
                ("NOBLE_BINDINGS", "dbus"),
            ]
        }

        /// The adapter's name for a client under test.
        package var adapter: String { "hci0" }

        package func close() async {
            await service.close()
            await bus.close()
            if let folder { unsafe rmdir(folder) }
        }
    }

    /// Plays the service for programs, which find the devices of a world; `whenUsed` is called when a program uses it first.
    ///
    /// A bus that is at the socket already is used, if it has no `org.bluez`; else this program is the bus.
    package func open(
        _ live: LiveWorld, on loop: EventLoop, whenUsed: @escaping @Sendable () -> Void = {},
        take: @escaping @Sendable (ServiceNote) -> Void = { _ in }
    ) async throws(Obstacle) -> Running {
        let folder = path == nil ? try Self.temporaryFolder() : nil
        let path = path ?? "\(folder ?? "")/bus"
        do throws(Obstacle) {
            let (bus, connection) = try await PlayedBus.open(path, isPrivate: folder != nil, on: loop)
            if !bus.isOwn,
                await live.visit({ world, _ in world.scenario.script.contains { $0.action.kind == .busAway } })
            {
                await connection.close()
                throw Obstacle(
                    .usage, "bus_away: the bus at \(path.quoted) belongs to another program: choose another path")
            }
            let (address, bonds) = await live.visit { world, _ in
                (world.nextGuestAddress, world.bondDevices(withClientAt: world.nextGuestAddress))
            }
            do throws(CallFailure) {
                let service = try await BluetoothService.open(
                    .init(address, version: settings.version, isExperimental: settings.isExperimental),
                    over: connection,
                    of: .init(connect: { () throws(ConnectionFailure) in try await bus.connect() }) {
                        await bus.turn($0)
                    },
                    on: loop, whenUsed: whenUsed,
                    take: { [weak live] note in
                        live?.assumeIsolated { $0.log(note) }
                        take(note)
                    }
                ) { report in
                    let host = SystemHost(settings.policy, nil, bonds: bonds, user: PairingUser())
                    return await live.attach(host, report: report)
                }
                await addAdapters(to: service, live)
                return Running(
                    path: path, folder: folder, bus: bus, service: service, version: settings.version,
                    address: address)
            } catch {
                await connection.close()
                await bus.close()
                throw Obstacle(.environment, "--system: \(error)")
            }
        } catch {
            if let folder { unsafe rmdir(folder) }
            throw error
        }
    }

    /// Adds the adapters after the first, each with its own host and address; bonds of the scenario are the first one's.
    private func addAdapters(to service: BluetoothService, _ live: LiveWorld) async {
        for number in 1..<max(settings.adapters, 1) {
            let address = await live.visit { world, _ in world.nextGuestAddress }
            let adapter = BluetoothService.Adapter(
                address, number: number, version: settings.version, isExperimental: settings.isExperimental)
            await service.add(adapter) { report in
                await live.attach(
                    SystemHost(settings.policy, nil, user: PairingUser(), name: adapter.alias), report: report)
            }
        }
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
