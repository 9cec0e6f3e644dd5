import ATT
import Basics
import Bluetooth
import Clients
import GATT
import HCI
import LEHost
import Testing

/// Losses, refusals and failures, and how the client comes back from them.
struct RecoveryTests {
    private static let third = DeviceAddress(0xC0FF_EE00_0003, .random)
    private static let disconnect = Host.Command.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)

    /// Whom the last step wants to connect to, and for how long.
    private func attempt(_ stand: Stand) -> (peer: DeviceAddress, timeout: Duration?)? {
        for case .connect(let creation, let timeout) in stand.commands { return (creation.peer, timeout) }
        return nil
    }

    /// Scanning, after the first connection has been lost; the wakes of before are past.
    private func lost(_ settings: SensorCollector.Settings = .init()) throws -> Stand {
        var stand = Stand(settings)
        try stand.discovers([Services.heartRate])
        stand.allSucceeds()
        stand.disconnects()
        #expect(stand.wait() == .zero)
        #expect(stand.texts == ["scanning"])
        return stand
    }

    // MARK: Which device

    @Test func `The mean signal strength decides, not the last or the best`() throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.strap, rssi: -60)  // it is heard more often
        for (near, far) in [(-60, -52), (-56, -66), (-58, -67), (-60, -64), (-64, -60)] as [(Int8, Int8)] {
            try stand.advertises(Stand.other, rssi: far)
            try stand.advertises(Stand.strap, rssi: near)
        }
        _ = stand.wait()
        #expect(attempt(stand)?.peer == Stand.strap)
    }

    @Test func `After the nearest has left, the middle one, and never the far one`() throws {
        var stand = try lost()
        for (middle, far) in [(-70, -69), (-66, -78), (-73, -72), (-67, -77)] as [(Int8, Int8)] {
            try stand.advertises(Self.third, rssi: far)
            try stand.advertises(Stand.other, rssi: middle)
        }
        _ = stand.wait()
        #expect(attempt(stand)?.peer == Stand.other)
        stand.hears(.connectionFailed(Stand.other, .status(.failedToBeEstablished)))  // once is chance
        _ = stand.wait()
        try stand.advertises(Self.third, rssi: -75)
        try stand.advertises(Stand.other, rssi: -69)
        _ = stand.wait()
        #expect(attempt(stand)?.peer == Stand.other)
    }

    @Test func `A strap with another address is found by its service`() throws {
        var stand = try lost()
        try stand.advertises(Stand.other)
        _ = stand.wait()
        #expect(attempt(stand)?.peer == Stand.other)
    }

    @Test(arguments: [
        Host.ConnectionFailure.status(.failedToBeEstablished), .status(.connectionLimitExceeded),
        .status(.commandDisallowed), .timedOut, .notNow,
    ])
    func `After two failed attempts, a device comes after the others`(failure: Host.ConnectionFailure) throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        var peers: [DeviceAddress?] = []
        for _ in 0..<4 {
            try stand.advertises(Stand.strap, rssi: -40)
            try stand.advertises(Stand.other, rssi: -80)
            _ = stand.wait()
            let peer = attempt(stand)?.peer
            peers.append(peer)
            stand.hears(.connectionFailed(peer ?? Stand.strap, failure))
            #expect(stand.texts.count == 1)
            _ = stand.wait()
            #expect(stand.texts == ["scanning"])
        }
        #expect(peers == [Stand.strap, Stand.strap, Stand.other, Stand.other])
        try stand.advertises(Stand.strap, rssi: -40)  // nobody else
        _ = stand.wait()
        #expect(attempt(stand)?.peer == Stand.strap)
    }

    @Test func `Repeated timeouts make the client wait longer, since the device may advertise seldom`() throws {
        var stand = Stand(.init(choice: .address(Stand.strap)))
        stand.start()
        stand.hostStarts()
        var timeouts: [Duration?] = []
        for _ in 0..<6 {
            try stand.advertises()
            timeouts.append(attempt(stand)?.timeout)
            stand.hears(.connectionFailed(Stand.strap, .timedOut))
            _ = stand.wait()
        }
        #expect(timeouts == [2, 2, 4, 8, 10, 10].map { .seconds($0) })
        try stand.advertises()
        stand.connects()
        stand.finishes(stand.procedures[1].number, .success(.services([Services.heartRate])))
        stand.allSucceeds()
        stand.disconnects()
        _ = stand.wait()
        try stand.advertises()
        #expect(attempt(stand)?.timeout == .seconds(2))
    }

    // MARK: Servers

    @Test(arguments: [
        ATTError.unlikelyError, .insufficientEncryption, .insufficientAuthentication, .requestNotSupported,
    ])
    func `A server that refuses everything is tried once in three seconds`(error: ATTError) throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        var begun: [Instant] = []
        for number in UInt32(1)...6 {
            try stand.advertises()
            while attempt(stand) == nil, stand.wait() != nil {}
            begun.append(stand.now)
            stand.connects(number)
            let asked = stand.procedures
            if number % 2 == 0 {
                stand.finishes(asked[1].number, on: number, .failure(.refused(error, handle: 1)))
            } else {
                stand.finishes(asked[1].number, on: number, .success(.services([Services.heartRate])))
                for (procedure, id) in stand.procedures {
                    stand.finishes(id, on: number, .failure(.refused(error, handle: 0x13)))
                    if case .configure = procedure { #expect(stand.commands.count == 1) }
                    #expect(stand.texts.allSatisfy { $0.contains("\(error)") })
                    let wantsPairing = error == .insufficientEncryption || error == .insufficientAuthentication
                    #expect(stand.texts.allSatisfy { $0.contains("the device requires pairing") == wantsPairing })
                }
            }
            stand.pass(.milliseconds(300))
            stand.disconnects(number, .localHostTerminated)
            #expect(stand.wait() != nil)
        }
        let distances = zip(begun, begun.dropFirst()).map { $0.duration(to: $1) }
        #expect(distances == Array(repeating: .seconds(3), count: 5))
    }

    @Test func `Another device comes first while one is left alone`() throws {
        var stand = Stand()
        try stand.discovers([Services.attributes])
        stand.disconnects(1, .localHostTerminated)
        _ = stand.wait()
        try stand.advertises(Stand.strap, rssi: -40)
        #expect(stand.commands == [])
        stand.pass(.milliseconds(200))
        try stand.advertises(Stand.other, rssi: -90)
        #expect(stand.wait() == .seconds(1))
        #expect(attempt(stand)?.peer == Stand.other)
    }

    @Test(arguments: [ATTError.unlikelyError, .insufficientAuthentication])
    func `A refused subscription is retried if another value is left`(error: ATTError) throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.thermometer])
        for (procedure, number) in stand.procedures {
            let fails = procedure == .configure(handle: 0x13, .notification)
            stand.finishes(number, fails ? .failure(.refused(error, handle: 0x13)) : .success(.written))
            #expect(stand.commands == [])
        }
        #expect(stand.wait() == .seconds(5))
        let again = stand.procedures
        #expect(again.map(\.procedure) == [.configure(handle: 0x13, .notification)])
        stand.finishes(again[0].number, .failure(.refused(error, handle: 0x13)))
        #expect(stand.lines == [])  // that is known
        #expect(stand.wait() == .seconds(5))
        stand.finishes(stand.procedures[0].number, .success(.written))
        stand.notifies([0x00, 72])
        #expect(stand.texts == ["72 bpm"])
    }

    @Test func `A server that stalls is left, and begun with anew at once`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        let number = stand.procedures[0].number
        stand.pass(.seconds(30))
        stand.finishes(number, .failure(.bearerLost))
        #expect(stand.texts == ["error: reading Body Sensor Location failed: no answer within 30 s"])
        #expect(stand.commands == [Self.disconnect])
        stand.disconnects(1, .localHostTerminated)
        #expect(stand.wait() == .zero)
        try stand.advertises()
        #expect(stand.wait() == .seconds(1))
        #expect(attempt(stand)?.peer == Stand.strap)
    }

    @Test func `A strap that never starts Polar's stream is waited for 30 s`() throws {
        for services in [[Services.polar], [Services.polar, Services.heartRate]] {
            var stand = Stand()
            try stand.discovers(services)
            stand.allSucceeds(reading: [0x0F, 0x01] + [UInt8](repeating: 0, count: 15))
            let said = stand.pass(.seconds(31))
            #expect(said.count == 1)
            #expect(said.allSatisfy { $0.contains("starting the PMD stream failed: no answer within 30 s") })
            #expect(stand.commands == (services.count == 1 ? [Self.disconnect] : []))
        }
    }

    @Test func `No update from before a loss is repeated`() throws {
        var stand = Stand()
        try stand.discovers([Services.fitness])
        let asked = stand.procedures
        stand.finishes(asked[0].number, .success(.value([7, 0, 0, 0])))
        #expect(stand.texts == ["7 steps"])
        stand.disconnects()
        var said = stand.lines
        _ = stand.wait()
        try stand.advertises(services: [.heartRate])
        _ = stand.wait()
        stand.connects(2)
        stand.finishes(asked[1].number, on: 1, .success(.value([7, 0, 0, 0])))
        said += stand.lines
        stand.notifies([7, 0, 0, 0], of: Services.fitness.characteristics[0].valueHandle, on: 1)
        said += stand.lines
        stand.finishes(stand.procedures.last?.number ?? 0, on: 2, .success(.services([Services.fitness])))
        said += stand.lines
        #expect(!said.contains { $0.contains("steps") })
        #expect(stand.pool.taken == 0)
    }

    // MARK: Controllers

    @Test func `A controller that fails is begun with anew until it works`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.allSucceeds()
        stand.disconnects(1, .hardwareFailure)
        #expect(stand.lines.count == 2)
        stand.hears(.failed(.hardware(7)))
        #expect(stand.texts == ["error: the controller reports a hardware error, code 7"])
        var waits: [Duration] = []
        for _ in 0..<7 {
            while stand.commands != [.start] { waits.append(stand.wait() ?? .seconds(-1)) }
            stand.hears(.failed(.noAnswer(Command.reset.opcode)))
            #expect(stand.texts.count == 1)
        }
        #expect(waits.filter { $0 > .zero } == [100, 200, 400, 800, 1000, 1000, 1000].map { .milliseconds($0) })
        while stand.commands != [.start] { _ = stand.wait() }
        stand.hostStarts()
        #expect(stand.texts == ["scanning"])
    }

    @Test func `A controller that fails without an event for the connection clears the display too`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.hears(.failed(.hardware(7)))
        #expect(stand.lines.count == 3)
        #expect(stand.texts[1] == "no heart rate")
    }

    @Test func `A refused Disconnect is repeated, and then the controller is reset`() throws {
        var stand = Stand()
        try stand.discovers([Services.attributes])
        #expect(stand.commands == [Self.disconnect])
        for milliseconds in [100, 200, 400] {
            stand.hears(.refused(Command.disconnect.opcode, .commandDisallowed))
            #expect(stand.texts.count == (milliseconds == 100 ? 1 : 0))
            #expect(stand.wait() == .milliseconds(milliseconds))
            #expect(stand.commands == [Self.disconnect])
        }
        stand.hears(.refused(Command.disconnect.opcode, .commandDisallowed))
        #expect(stand.lines.count == 2)
        #expect(stand.wait() == .zero)
        #expect(stand.commands == [.start])
        stand.disconnects(1, .hardwareFailure)  // the host's word for it
        #expect(stand.outputs == [])
        stand.hostStarts()
        #expect(stand.texts == ["scanning"])
    }

    @Test func `A stop succeeds although the controller refuses a Disconnect`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.stop()
        for _ in 0..<4 {
            stand.hears(.refused(Command.disconnect.opcode, .commandDisallowed))
            _ = stand.wait()
        }
        #expect(stand.collector.isIdle)
    }

    @Test func `An unwanted connection is ended`() throws {
        var stand = try lost()
        stand.connects(9)
        #expect(stand.commands == [.disconnect(ConnectionID(number: 9), reason: .remoteUserTerminated)])
        try stand.advertises()
        #expect(stand.wait() == .seconds(1))
        stand.connects(10)
        #expect(stand.procedures.count == 2)
        stand.connects(10)  // twice
        #expect(stand.outputs == [])
    }
}
