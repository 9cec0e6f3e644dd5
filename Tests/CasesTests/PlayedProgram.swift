import Basics
import DBus
import Drivers
import Linux
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Cases

/// A world at twenty times the pace, in which bluetoothd is played on one or more buses.
final class PlayedAir: Sendable {
    private let live: LiveWorld
    private let loop: EventLoop
    private let systems = Mutex<[PlayedSystem.Running]>([])

    private init(_ live: LiveWorld, _ loop: EventLoop) { (self.live, self.loop) = (live, loop) }

    /// Plays a bluetoothd on another bus, in the same air.
    func open(_ settings: PlayedSystem.Settings = PlayedSystem.Settings()) async throws -> PlayedSystem.Running {
        let running = try await PlayedSystem("bluez", settings).open(live, on: loop)
        systems.withLock { $0.append(running) }
        return running
    }

    /// Plays the devices of a scenario.
    static func run(
        _ scenario: String, _ body: @escaping @Sendable (PlayedAir, EventLoop) async throws -> Void
    ) throws {
        let reading = ScenarioFile.read("a.json") { _ in Array(scenario.utf8) }
        var started = try World(try #require(reading.scenario), seed: 1)
        started.placeDevices(on: .system)
        let loop = EventLoop(pace: .real(speed: 20))
        try loop.run { [started] in
            let live = LiveWorld(started, on: loop, RunCompletion(), isQuiet: true) { _ in true }
            await live.start()
            let air = PlayedAir(live, loop)
            try await body(air, loop)
            for running in air.systems.withLock({ $0 }) { await running.close() }
        }
    }
}

/// Calls of a program of BlueZ, and the signals that it has received.
final class PlayedProgram: Sendable {
    private final class Heard: Sendable {
        let signals = Mutex<[Signal]>([])
    }

    let connection: Connection
    private let heard = Heard()

    var signals: [Signal] { heard.signals.withLock { $0 } }

    init(_ address: String, _ loop: EventLoop) async throws {
        connection = try await Connection.open(.at(address), on: loop)
        _ = try await connection.subscribe(MatchRule(namespace: "/")) { [heard] signal in
            heard.signals.withLock { $0.append(signal) }
        }
    }

    func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBus.Value] = [],
        reply: Signature = ""
    ) async -> Result<[DBus.Value], CallFailure> {
        let call = Call("org.bluez", path, interface, member, arguments, reply: reply, within: .seconds(300))
        do { return .success(try await connection.call(call)) } catch { return .failure(error) }
    }

    /// Waits for a signal; returns whether it came within five minutes.
    func wait(_ loop: EventLoop, until isSo: @Sendable (Signal) -> Bool) async throws -> Bool {
        let limit = loop.now.advanced(by: .seconds(300))
        while !signals.contains(where: isSo) {
            guard loop.now < limit else { return false }
            try await loop.sleep(for: .milliseconds(50))
        }
        return true
    }

    func forget() { heard.signals.withLock { $0 = [] } }

    /// The paths of the characteristics with a UUID.
    func path(of uuid: String) -> ObjectPath? {
        signals.first { signal in
            signal.arguments.last?["org.bluez.GattCharacteristic1"]?["UUID"]?.string?.hasPrefix("0000\(uuid)")
                == true
        }?.arguments.first?.path
    }
}
