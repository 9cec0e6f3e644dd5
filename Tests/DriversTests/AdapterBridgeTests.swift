import Basics
import Clients
import Glibc
import HCI
import Linux
import ScenarioLanguage
import ScenarioModel
import Sockets
import Synchronization
import Testing
import VirtualWorld

@testable import Drivers

/// A controller at a socket, which answers HCI Reset, and the bridge to it.
private final class BridgeHarness: Sendable {
    private struct State {
        var controller: StreamConnection?
        var framer = H4Framer(limit: 4096)
        var received: [H4Framer.Framed] = []
        var notices: [String] = []
        var hosts: [StreamConnection] = []
        var forHosts: [UInt8] = []
    }

    let loop: EventLoop
    let completion = RunCompletion()
    private let answersReset: Bool
    private let state = Mutex(State())

    init(speed: Double = 1, answersReset: Bool = true) {
        (loop, self.answersReset) = (EventLoop(pace: .real(speed: speed)), answersReset)
    }

    var notices: [String] { state.withLock(\.notices) }
    /// The commands other than Reset, and data, that the controller has received.
    var received: [H4Framer.Framed] { state.withLock(\.received).filter { !$0.isReset } }
    var resets: Int { state.withLock(\.received).count(where: \.isReset) }
    /// The octets that all hosts have received.
    var forHosts: [UInt8] { state.withLock(\.forHosts) }
    var controller: StreamConnection? { state.withLock(\.controller) }

    static func path(_ name: String) -> StreamAddress { .unix(path: "/tmp/lubdub-\(getpid())-bridge-\(name)") }

    /// A bridge with its address; the controller is at a socket's file with this name.
    func start(_ name: String) async throws -> (AdapterBridge, StreamAddress, StreamListener) {
        let listener = try StreamListener(at: Self.path("\(name)-controller"), on: loop) { connection in
            self.state.withLock { $0.controller = connection }
            connection.start { self.controller($0) }
        }
        let bridge = AdapterBridge(to: .stream(listener.address), on: loop, completion) { notice in
            self.state.withLock { $0.notices.append("\(notice)") }
        }
        let address = try await bridge.listen(at: Self.path(name))
        try await bridge.start()
        return (bridge, address, listener)
    }

    /// Connects a host, and sends octets when it is connected.
    @discardableResult func host(
        at address: StreamAddress, sends octets: [UInt8] = [], reads: Bool = true
    ) throws -> StreamConnection {
        let host = try StreamConnection(to: address, on: loop)
        state.withLock { $0.hosts.append(host) }
        host.start { event in
            if case .opened = event, !reads { host.pause() }
            if case .received(let octets) = event { self.state.withLock { $0.forHosts += octets } }
        }
        host.send(octets)
        return host
    }

    private func controller(_ event: StreamConnection.Event) {
        guard case .received(let octets) = event else { return }
        let (resets, connection) = state.withLock { state -> (Int, StreamConnection?) in
            state.framer.append(octets)
            var packets: [H4Framer.Framed] = []
            while let packet = try? state.framer.next() { packets.append(packet) }
            state.received += packets
            return (packets.count(where: \.isReset), state.controller)
        }
        guard answersReset else { return }
        let answer = H4Framer.octets(.event, Event.complete(Command.reset.opcode).octets)
        for _ in 0..<resets { connection?.send(answer) }
    }

    func until(_ condition: @escaping @Sendable () -> Bool) async throws {
        let loop = loop
        try await loop.withTimeout(.seconds(600)) {
            while !condition() { try await loop.sleep(for: .milliseconds(1)) }
        }
    }

    /// Waits until this many notices have been given.
    func until(notices count: Int) async throws { try await until { self.notices.count >= count } }

    func close(_ bridge: AdapterBridge, _ listener: StreamListener) async {
        await bridge.close()
        listener.close()
        for host in state.withLock(\.hosts) { host.close() }
        controller?.close()
    }
}

@Suite struct AdapterBridgeTests {
    private static let command = H4Framer.Framed(kind: .command, octets: [0x09, 0x10, 0])

    @Test func `Hosts with malformed octets are disconnected, and the next one is served`() throws {
        let harness = BridgeHarness()
        try harness.loop.run {
            let (bridge, address, listener) = try await harness.start("hostile")
            let long = [0x02, 0x40, 0x20, 0x00, 0x04] + [UInt8](repeating: 0, count: 1024)
            for (place, octets) in [[0x2A], long, [0x04, 0x0E, 0x00], [0x05, 0, 0, 0, 0]].enumerated() {
                try harness.host(at: address, sends: octets)
                try await harness.until(notices: 2 * place + 2)
            }
            #expect(
                harness.notices.filter { !$0.hasSuffix(" connected") } == [
                    "host 1 was disconnected: the host does not speak H4: 0x2A where an H4 packet should begin",
                    "host 2 was disconnected: the host does not speak H4: an H4 packet of kind acl with 1028 octets; "
                        + "1027 are allowed",
                    "host 3 was disconnected: it sends a packet of kind event "
                        + "(a host sends commands, ACL data and synchronous data)",
                    "host 4 was disconnected: it sends a packet of kind isochronous "
                        + "(a host sends commands, ACL data and synchronous data)",
                ])
            // The longest packet passes, also in parts.
            let data = H4Framer.Framed(
                kind: .acl, octets: [0x40, 0x20, 0xFF, 0x03] + [UInt8](repeating: 1, count: 1023))
            let host = try harness.host(at: address, sends: H4Framer.octets(.command, Self.command.octets) + [0x02])
            host.send(data.octets)
            try await harness.until { harness.received.count == 2 }
            #expect(harness.received == [Self.command, data])
            #expect(harness.resets == 5)
            await harness.close(bridge, listener)
        }
    }

    @Test func `A host may leave within a packet, and the controller is reset before the next one`() throws {
        let harness = BridgeHarness()
        try harness.loop.run {
            let (bridge, address, listener) = try await harness.start("part")
            let first = try harness.host(at: address, sends: [0x01, 0x09])
            try await harness.until(notices: 1)
            first.close()
            try await harness.until(notices: 2)
            try harness.host(at: address, sends: H4Framer.octets(.command, Self.command.octets))
            try await harness.until { harness.received == [Self.command] }
            #expect(harness.notices == ["host 1 connected", "host 1 disconnected", "host 2 connected"])
            #expect(harness.resets == 2)
            harness.controller?.send([0x04, 0x3E, 0x02, 0x02, 0x00])
            try await harness.until { harness.forHosts == [0x04, 0x3E, 0x02, 0x02, 0x00] }
            await harness.close(bridge, listener)
        }
    }

    @Test func `A second host is disconnected, and the first one is served further`() throws {
        let harness = BridgeHarness()
        try harness.loop.run {
            let (bridge, address, listener) = try await harness.start("second")
            let first = try harness.host(at: address)
            try await harness.until(notices: 1)
            try harness.host(at: address, sends: [0x2A])
            try await harness.until(notices: 2)
            #expect(
                harness.notices.last
                    == "host 2 was disconnected: another host uses the controller (disconnect that one first)")
            first.send(H4Framer.octets(.command, Self.command.octets))
            try await harness.until { harness.received == [Self.command] }
            await harness.close(bridge, listener)
        }
    }

    @Test func `A host that does not read is disconnected when 1 MiB waits`() throws {
        let harness = BridgeHarness()
        try harness.loop.run {
            let (bridge, address, listener) = try await harness.start("unread")
            try harness.host(at: address, reads: false)
            try await harness.until(notices: 1)
            let packet = H4Framer.octets(.acl, [0x40, 0x20, 0xFB, 0x00] + [UInt8](repeating: 0, count: 251))
            let burst = (0..<256).flatMap { _ in packet }
            try await harness.until {
                if let controller = harness.controller, controller.queued < burst.count { controller.send(burst) }
                return harness.notices.count >= 2
            }
            #expect(
                harness.notices.last
                    == "host 1 was disconnected: \(SocketFailure.neverReads(limit: StreamConnection.defaultLimit))")
            await harness.close(bridge, listener)
        }
    }

    @Test func `A host that sends more than the controller takes is disconnected`() throws {
        let harness = BridgeHarness()
        try harness.loop.run {
            let (bridge, address, listener) = try await harness.start("flood")
            let host = try harness.host(at: address)
            try await harness.until(notices: 1)
            harness.controller?.pause()
            let burst = (0..<4096).flatMap { _ in H4Framer.octets(.command, Self.command.octets) }
            try await harness.until {
                if host.queued < burst.count { host.send(burst) }
                return harness.notices.count >= 2
            }
            #expect(
                harness.notices.last == "host 1 was disconnected: it sends more than the adapter takes "
                    + "(a host waits until the controller has free buffers)")
            harness.controller?.resume()
            try harness.host(at: address)
            try await harness.until(notices: 3)
            #expect(harness.notices.last == "host 2 connected")
            await harness.close(bridge, listener)
        }
    }

    @Test func `The bridge ends if the controller goes, or does not answer HCI Reset`() throws {
        for answersReset in [true, false] {
            let harness = BridgeHarness(speed: answersReset ? 1 : 100, answersReset: answersReset)
            let message = try harness.loop.run {
                let (bridge, address, listener) = try await harness.start("lost")
                try harness.host(at: address)
                if answersReset {
                    try await harness.until(notices: 1)
                    harness.controller?.close()
                }
                let reason = await harness.completion.wait(
                    Signals([]), on: harness.loop, for: .seconds(600), watchesReader: false)
                await harness.close(bridge, listener)
                guard case .failure(let message) = reason else { return "" }
                return message.replacing("\(BridgeHarness.path("lost-controller"))", with: "ADDRESS")
            }
            #expect(
                message
                    == (answersReset
                        ? "ADDRESS: the controller closed the connection"
                        : "ADDRESS: the controller did not answer Reset within 10 s (check that a controller listens "
                            + "there, and serves no other host; restart it)"))
        }
    }

    @Test func `Clients receive heart rates through the bridge, one after the other`() throws {
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        let world = try World(try #require(reading.scenario), seed: 1)
        let loop = EventLoop(pace: .real(speed: 20))
        let (rates, notices) = try loop.run {
            let live = LiveWorld(world, on: loop, RunCompletion(), isQuiet: true) { _ in true }
            let controller = try await live.offer(StreamAddress("tcp:127.0.0.1:0"))
            await live.start()
            let notices = Mutex<[String]>([])
            let bridge = AdapterBridge(to: .stream(controller), on: loop, RunCompletion()) { notice in
                notices.withLock { $0.append("\(notice)") }
            }
            let address = try await bridge.listen(at: StreamAddress("tcp:127.0.0.1:0"))
            try await bridge.start()
            let signals = Signals([])
            let rates = Mutex(0)
            for number in 1...2 {
                let completion = RunCompletion()
                let driver = try await ClientDriver.start(.init(), above: .controller(.stream(address)), on: loop) {
                    update in
                    guard case .heartRate = update.content else { return }
                    rates.withLock { $0 += 1 }
                    completion.finish(.time)
                } fail: {
                    completion.finish(.failure($0))
                }
                _ = await completion.wait(signals, on: loop, for: .seconds(600), watchesReader: false)
                await driver.close(signals)
                while !notices.withLock({ $0.contains("host \(number) disconnected") }) {
                    try await loop.sleep(for: .milliseconds(1))
                }
            }
            await bridge.close()
            _ = await live.close(signals)
            return (rates.withLock(\.self), notices.withLock(\.self))
        }
        #expect(rates >= 2)
        #expect(notices == [1, 2].flatMap { ["host \($0) connected", "host \($0) disconnected"] })
    }
}
