import Basics
import DBus
import Synchronization

/// A program of BlueZ that shows heart rates: correct, or with faults of real programs.
///
/// It runs on the loop of its test, and at that loop's pace.
final class HeartProgram: Sendable {
    enum Fault: String, CaseIterable, Sendable {
        /// Takes signals only from the program that owned `org.bluez` first.
        case knowsOneOwner
        /// Starts one scan, and waits for the device without an end.
        case scansOnce
        /// After it has subscribed, it waits for Connected to become false.
        case trustsSignals
        case givesUpWhenOff, givesUpOnUnknownObject, givesUpOnInProgress
        /// Gives up after its first connection.
        case connectsOnce
        /// Waits 2 s for the services, and begins anew.
        case isImpatient
        /// Waits for the services without an end.
        case waitsForServices
        /// Gives up if ServicesResolved is true, and the attribute is not there.
        case trustsResolved
        /// Does not remove a device whose attributes do not work.
        case keepsCache
        /// After StopDiscovery, it waits until Discovering is false.
        case waitsForQuiet
        /// Connects only to a device that it has received after the beginning of its scan.
        case onlyScans
        /// Calls fail after 1 s.
        case callsBriefly
        /// Does not connect to the bus again.
        case hasOneBus
        /// Subscribes only in its first connection.
        case subscribesOnce
        /// Shows 60 beats when it is not connected.
        case invents
    }

    private struct GaveUp: Error {}
    private struct Again: Error {}

    private struct State {
        var values: [(sender: BusName?, bpm: Int)] = []
        var received: Set<String> = []
        var isLost = false
        var ownerChanges = 0
        var isStopped = false
        var hasTried = false
        var hasSubscribed = false
    }

    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"

    private let address: BusAddress
    private let loop: EventLoop
    private let faults: Set<Fault>
    private let say: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(_ address: String, _ loop: EventLoop, _ faults: Set<Fault>, say: @escaping @Sendable (String) -> Void) {
        (self.address, self.loop, self.faults, self.say) = (.at(address), loop, faults, say)
    }

    func stop() { state.withLock { $0.isStopped = true } }

    private var isStopped: Bool { state.withLock(\.isStopped) }

    /// Runs until `stop`, or until it gives up.
    func run() async {
        while !isStopped {
            let isGone = Mutex(false)
            if let connection = try? await Connection.open(
                address, on: loop, within: .seconds(5), whenDisconnected: { isGone.withLock { $0 = true } })
            {
                do { try await use(connection) { isGone.withLock { $0 } } } catch { return await connection.close() }
                await connection.close()
                if faults.contains(.hasOneBus) { return }
            }
            await pause(.milliseconds(500))
        }
    }

    private func pause(_ duration: Duration) async { try? await loop.sleep(for: duration) }

    /// Uses a connection until the bus has closed it; throws if the program gives up.
    private func use(_ connection: Connection, isGone: @escaping () -> Bool) async throws {
        _ = try? await connection.subscribe(MatchRule(namespace: "/")) { [weak self] in self?.take($0) }
        while !isStopped, !isGone() {
            do { try await play(connection, isGone: isGone) } catch let failure as CallFailure {
                try judge(failure)
            } catch is Again {}
            if faults.contains(.invents) { say(#"{"heart_rate": {"bpm": 60}}"#) }
            await pause(.milliseconds(500))
        }
    }

    private func judge(_ failure: CallFailure) throws {
        guard case .remote(let error) = failure else { return }
        let reasons: [(Fault, String)] = [
            (.givesUpWhenOff, "NotReady"), (.givesUpWhenOff, "Input/output error"),
            (.givesUpOnUnknownObject, "UnknownObject"), (.givesUpOnInProgress, "InProgress"),
        ]
        for (fault, words) in reasons
        where faults.contains(fault) && (error.name.hasSuffix(words) || error.message == words) { throw GaveUp() }
    }

    // MARK: Signals

    private func take(_ signal: Signal) {
        state.withLock { state in
            switch signal.member.text {
            case "NameOwnerChanged" where signal.arguments.first?.string == "org.bluez": state.ownerChanges += 1
            case "InterfacesAdded":
                if let path = signal.arguments.first?.path { state.received.insert(path.text) }
            case "PropertiesChanged":
                let changes = signal.arguments.dropFirst().first
                if changes?["RSSI"] != nil { state.received.insert(signal.path.text) }
                if signal.path == Self.device, changes?["Connected"] == .boolean(false) { state.isLost = true }
                guard let value = changes?["Value"]?.octets, value.count > 1, signal.path.text.contains("char") else {
                    return
                }
                let bpm = value[0] & 1 == 0 ? Int(value[1]) : Int(value[1]) | Int(value.dropFirst(2).first ?? 0) << 8
                state.values.append((signal.sender, bpm))
            default: break
            }
        }
    }

    /// Shows the values since the last call; false if there are none.
    private func show(of owner: BusName?) -> Bool {
        let values = state.withLock { state in
            defer { state.values = [] }
            return state.values.filter { !faults.contains(.knowsOneOwner) || $0.sender == owner }
        }
        for value in values { say("{\"heart_rate\": {\"bpm\": \(value.bpm)}}") }
        return !values.isEmpty
    }

    // MARK: Calls

    private func call(
        _ connection: Connection, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], reply: Signature = ""
    ) async throws -> [Value] {
        let limit = Duration.seconds(faults.contains(.callsBriefly) ? 1 : 60)
        return try await connection.call(
            Call("org.bluez", path, interface, member, arguments, reply: reply, within: limit))
    }

    /// All objects, as `path interface`, with their properties.
    private func objects(_ connection: Connection) async throws -> [Value.Entry] {
        let manager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
        let reply: Signature = "a{oa{sa{sv}}}"
        return try await call(connection, "/", manager, "GetManagedObjects", reply: reply)
            .first?.entries ?? []
    }

    private static func object(_ path: ObjectPath, _ interface: String, in objects: [Value.Entry]) -> Value? {
        objects.first { $0.key.path == path }?.value[interface]
    }

    // MARK: Course

    /// Finds the device, connects, subscribes, and shows values until the connection is lost.
    private func play(_ connection: Connection, isGone: () -> Bool) async throws {
        let owner = try await connection.call(
            .bus("GetNameOwner", [.string("org.bluez")], reply: "s")
        ).first?.string.flatMap { try? BusName($0) }
        let first = firstOwner.withLock { known in
            known = known ?? owner
            return known
        }
        try await find(connection)
        state.withLock { ($0.isLost, $0.values) = (false, []) }
        let hasTried = state.withLock { state in
            defer { state.hasTried = true }
            return state.hasTried
        }
        if hasTried, faults.contains(.connectsOnce) { throw GaveUp() }
        _ = try await call(connection, Self.device, "org.bluez.Device1", "Connect")
        guard let path = try await resolve(connection) else { throw Again() }
        if !faults.contains(.subscribesOnce) || !state.withLock(\.hasSubscribed) {
            do {
                _ = try await call(connection, path, "org.bluez.GattCharacteristic1", "StartNotify")
                state.withLock { $0.hasSubscribed = true }
            } catch {
                try await startAnew(connection)
                throw error
            }
        }
        try await watch(connection, first, isGone: isGone)
    }

    private let firstOwner = Mutex<BusName?>(nil)

    private func find(_ connection: Connection) async throws {
        var found = Self.object(Self.device, "org.bluez.Device1", in: try await objects(connection)) != nil
        if found, !faults.contains(.onlyScans) { return }
        state.withLock { $0.received = [] }
        let filter = Value.options([("Transport", .string("le"))])
        _ = try await call(connection, Self.adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", [filter])
        _ = try await call(connection, Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
        let end = loop.now.advanced(by: .seconds(10))
        repeat {
            await pause(.milliseconds(100))
            found = state.withLock { $0.received.contains(Self.device.text) }
        } while !found && !isStopped && (loop.now < end || !faults.isDisjoint(with: [.scansOnce, .onlyScans]))
        _ = try await call(connection, Self.adapter, "org.bluez.Adapter1", "StopDiscovery")
        while faults.contains(.waitsForQuiet), !isStopped,
            Self.object(Self.adapter, "org.bluez.Adapter1", in: try await objects(connection))?["Discovering"]
                == .boolean(true)
        { await pause(.milliseconds(200)) }
        if !found { throw Again() }
    }

    /// The path of the measurement's characteristic, when the services are resolved; nil if that takes too long.
    private func resolve(_ connection: Connection) async throws -> ObjectPath? {
        let end = loop.now.advanced(by: .seconds(faults.contains(.isImpatient) ? 2 : 15))
        while loop.now < end || faults.contains(.waitsForServices), !isStopped {
            let objects = try await objects(connection)
            guard let device = Self.object(Self.device, "org.bluez.Device1", in: objects),
                device["Connected"] == .boolean(true)
            else { return nil }
            let characteristic = objects.first { object in
                object.value["org.bluez.GattCharacteristic1"]?["UUID"]?.string == Self.measurement
            }
            if device["ServicesResolved"] == .boolean(true) {
                if let path = characteristic?.key.path { return path }
                if faults.contains(.trustsResolved) { throw GaveUp() }
            }
            await pause(.milliseconds(250))
        }
        _ = try await call(connection, Self.device, "org.bluez.Device1", "Disconnect")
        return nil
    }

    /// Lets bluetoothd forget the device, since its attributes do not work.
    private func startAnew(_ connection: Connection) async throws {
        guard !faults.contains(.keepsCache) else {
            _ = try await call(connection, Self.device, "org.bluez.Device1", "Disconnect")
            return
        }
        _ = try await call(connection, Self.adapter, "org.bluez.Adapter1", "RemoveDevice", [.path(Self.device)])
    }

    /// Shows values until the device is disconnected, or bluetoothd has gone, or no values come any more.
    private func watch(_ connection: Connection, _ owner: BusName?, isGone: () -> Bool) async throws {
        let changes = state.withLock(\.ownerChanges)
        var last = loop.now
        while !isStopped, !isGone() {
            await pause(.milliseconds(200))
            if show(of: owner) { last = loop.now }
            let isOver = state.withLock { $0.isLost || !faults.contains(.trustsSignals) && $0.ownerChanges != changes }
            if isOver { return }
            guard !faults.contains(.trustsSignals), !faults.contains(.subscribesOnce),
                last.advanced(by: .seconds(8)) <= loop.now
            else { continue }
            return try await startAnew(connection)
        }
    }
}
