import Basics
import Expectations
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel
import Sockets
import Testing
import VirtualWorld

@testable import Drivers

@Suite struct LiveWorldTests {
    @Test func `A closed world is released with its loop, although it offered a controller and awaited its time`()
        throws
    {
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        let world = try World(try #require(reading.scenario), seed: 1)
        weak var remains: EventLoop?
        do {
            let loop = EventLoop(pace: .real())
            remains = loop
            try loop.run {
                let live = LiveWorld(world, on: loop, RunCompletion(), isQuiet: true) { _ in true }
                await live.playCase(startsAtReset: true)
                _ = try await live.offer(StreamAddress("tcp:127.0.0.1:0"))
                await live.start()
                _ = await live.close(Signals([]))
            }
        }
        #expect(remains == nil)
    }

    @Test func `A closed host of a client leaves no socket file`() throws {
        let path = "/tmp/lubdub-live-world-\(getpid())"
        defer { unsafe unlink(path) }
        let loop = EventLoop(pace: .real())
        try loop.withCurrentThread {
            let host = try LiveWorldCentralHost(offering: [.unix(path: path)], on: loop, log: PacketLog(sink: nil))
            #expect(unsafe access(path, F_OK) == 0)
            let close = host.close
            _ = loop.start { await close() }
            while unsafe access(path, F_OK) == 0 {
                _ = loop.runNextEvents(until: loop.now.advanced(by: .milliseconds(1)))
            }
        }
    }
}
