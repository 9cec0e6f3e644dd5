import Basics
import Bluetooth
import Clients
import HCI
import LEHost
import Linux
import ScenarioLanguage
import ScenarioModel
import Sockets
import Synchronization
import Testing
import VirtualWorld

@testable import Drivers

@Suite struct ClientDriverTests {
    private static func strap() throws -> World {
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        return try World(try #require(reading.scenario), seed: 1)
    }

    @Test func `The client receives heart rates through a controller, and disconnects when it is closed`() throws {
        let loop = EventLoop(pace: .real(speed: 20))
        let world = try Self.strap()
        let (rates, hasLinks) = try loop.run {
            let completion = RunCompletion()
            let live = LiveWorld(world, on: loop, RunCompletion(), isQuiet: true) { _ in true }
            let address = try await live.offer(StreamAddress("tcp:127.0.0.1:0"))
            await live.start()
            let rates = Mutex(0)
            let driver = try await ClientDriver.start(.init(), above: .controller(.stream(address)), on: loop) {
                update in
                guard case .heartRate = update.content else { return }
                if rates.withLock({
                    $0 += 1
                    return $0 == 2
                }) {
                    completion.finish(.time)
                }
            } fail: {
                completion.finish(.failure($0))
            }
            let signals = Signals([])
            _ = await completion.wait(signals, on: loop, for: .seconds(600), watchesReader: false)
            await driver.close(signals)
            let hasLinks = await live.visit { world, _ in world.hasLinks }
            _ = await live.close(signals)
            return (rates.withLock(\.self), hasLinks)
        }
        #expect(rates >= 2)
        #expect(!hasLinks)
    }

    @Test func `A controller that hangs up fails the client once, with its address`() throws {
        let loop = EventLoop(pace: .real())
        let reasons = try loop.run {
            let completion = RunCompletion()
            let listener = try StreamListener(at: try StreamAddress("tcp:127.0.0.1:0"), on: loop) { $0.close() }
            let failures = Mutex<[String]>([])
            let driver = try await ClientDriver.start(.init(), above: .controller(.stream(listener.address)), on: loop)
            { _ in
            } fail: { reason in
                failures.withLock { $0.append(reason) }
                completion.finish(.time)
            }
            let signals = Signals([])
            _ = await completion.wait(signals, on: loop, for: .seconds(600), watchesReader: false)
            await driver.close(signals)
            let address = listener.address
            listener.close()
            return failures.withLock { $0.map { $0.replacing("\(address)", with: "ADDRESS") } }
        }
        #expect(reasons == ["ADDRESS: the controller closed the connection"])
    }

    @Test func `A warning is given once for each kind, and at most 64 kinds`() {
        var warnings = HostWarnings()
        let refused = Host.Output.refused(Command.reset.opcode, .unknownCommand)
        #expect(warnings.warning(for: refused)?.contains("refused") == true)
        #expect(warnings.warning(for: refused) == nil)
        #expect(warnings.warning(for: .scanning(true)) == nil)
        let rest = (0..<100).compactMap { warnings.warning(for: .refused(Opcode(rawValue: $0), .unknownCommand)) }
        #expect(rest.count == 63)
    }
}
