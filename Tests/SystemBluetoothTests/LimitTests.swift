import ATT
import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

@testable import SystemBluetooth

/// What peripherals and programs cannot make a system keep or do.
@Suite struct LimitTests {
    private let program = ProgramID(number: 1)

    private func peer(_ number: Int) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | UInt64(number), .random) }

    /// bluetoothd, with a program.
    private func central() -> SharedCentral {
        var (central, pool) = (SharedCentral(.bluetoothd()), PacketPool())
        var outputs: [SharedCentral.Output] = []
        central.perform(.open, of: program, at: .start, into: &outputs)
        central.step(.started(peer(0), ControllerFacts()), at: .start, pool: &pool, into: &outputs)
        return central
    }

    @Test func `Of 5,000 peripherals that are received, the system remembers 1,024, and forgets them`() {
        var peers = KnownPeers(memory: .seconds(30), bonds: [])
        for number in 1...5000 {
            _ = peers.hear(peer(number), at: .start)
            _ = peers.rename(peer(number), "x")
        }
        #expect(peers.forgetDue == .start.advanced(by: .seconds(30)))
        #expect(peers.forgetSilent(at: peers.forgetDue).count == SharedCentral.maximumPeripherals)
        #expect(peers.forgetDue == .never)
        #expect(peers.forgetSilent(at: .start.advanced(by: .seconds(100))).isEmpty)
    }

    @Test func `Reports of a peripheral that stays request one wake-up`() {
        var peers = KnownPeers(memory: .seconds(30), bonds: [])
        let wakes = (0..<1000).compactMap { peers.hear(peer(1), at: .start.advanced(by: .milliseconds($0 * 20))) }
        #expect(wakes == [.start.advanced(by: .seconds(30))])
        #expect(peers.forgetSilent(at: wakes[0]).isEmpty)
        #expect(peers.forgetDue == .start.advanced(by: .milliseconds(49_980)))
    }

    @Test func `A program waits for at most 1,024 peripherals`() {
        var (central, outputs) = (central(), [SharedCentral.Output]())
        for number in 1...2000 {
            central.perform(.connect(peer(number), ConnectionOptions()), of: program, at: .start, into: &outputs)
        }
        #expect(central.attempts.count == SharedCentral.maximumPeripherals)
        let failures = outputs.filter { if case .event(_, .failedToConnect) = $0 { true } else { false } }
        #expect(failures.count == 2000 - SharedCentral.maximumPeripherals)
    }

    @Test func `However many writes without response wait for a read, none is lost`() throws {
        var talk = try SystemHarness(.bluetoothd())
        talk.connect()
        let (location, point) = (try talk.value(.bodySensorLocation), try talk.value(.heartRateControlPoint))
        talk.clear()
        talk.start(1, .procedure(.read(handle: location)))
        for _ in 0..<300 { talk.start(1, .writeCommand(handle: point, [1])) }
        talk.run(.seconds(20))
        #expect(talk.log.count { $0.hasPrefix("> command 2A39") } == 300)
    }

    @Test func `A peripheral that indicates changes all the time causes one renewal after the other`() {
        var (central, pool, outputs) = (central(), PacketPool(), [SharedCentral.Output]())
        let (id, strap) = (ConnectionID(number: 1), peer(1))
        central.perform(.connect(strap, ConnectionOptions()), of: program, at: .start, into: &outputs)
        let complete = ConnectionComplete(
            handle: 1, role: .central, peer: strap,
            timing: ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72))
        central.step(.connected(id, complete), at: .start, pool: &pool, into: &outputs)
        let changed = DiscoveredCharacteristic(
            uuid: .serviceChanged, range: HandleRange(2, 4), properties: .indicate, valueHandle: 3)
        let service = DiscoveredService(uuid: .genericAttribute, range: HandleRange(1, 4), characteristics: [changed])
        // The first procedures are the exchange of the MTU and the discovery.
        central.step(.finished(id, id: 1, .success(.mtu(23))), at: .start, pool: &pool, into: &outputs)
        central.step(.finished(id, id: 2, .success(.services([service]))), at: .start, pool: &pool, into: &outputs)
        for _ in 1...1000 {
            let packet = pool.take([1, 0, 0xFF, 0xFF])
            central.step(.indicated(id, handle: 3, packet), at: .start, pool: &pool, into: &outputs)
        }
        let procedures = outputs.filter { if case .command(.procedure) = $0 { true } else { false } }
        #expect(procedures.count == 3)
        // One renewal has begun, and one waits.
        #expect(central.links[0].steps.count == 2 * HostPolicy.bluetoothd().attributes.renewal.count - 1)
        #expect(pool.taken == 0)
    }

    @Test func `A scan without a filter reports discoverable peripherals only, where programs request that`() {
        var options = ScanOptions()
        var (shown, hidden) = (Advertisement(isConnectable: true), Advertisement(isConnectable: true))
        shown.add([2, 1, 6])
        hidden.add([2, 1, 4])
        for advertisement in [shown, hidden] {
            #expect(options.admits(advertisement, of: peer(1), named: nil, rssi: -50))
        }
        options.reportsUndiscoverable = false
        #expect(options.admits(shown, of: peer(1), named: nil, rssi: -50))
        #expect(!options.admits(hidden, of: peer(1), named: nil, rssi: -50))
    }

    @Test func `A signal of unknown strength is too weak for a scan for strong ones`() {
        var options = ScanOptions()
        options.minimumRSSI = -50
        #expect(!options.admits(Advertisement(isConnectable: true), of: peer(1), named: nil, rssi: 127))
    }
}
