import Basics
import Bluetooth
import HCI

@testable import VirtualRadio

/// An airspace, its timers, and hosts that send literal octets and record what they receive.
struct AirspaceHarness {
    /// A packet that a host received.
    struct Received: Hashable {
        let at: Instant
        let kind: PacketKind
        let octets: [UInt8]
    }

    var pool = PacketPool()
    var received: [[Received]] = []
    private var airspace: Airspace
    private var queue = EventQueue()
    private var timers: [Int: Radio.Timer] = [:]
    private var outbox: [Airspace.Output] = []
    private(set) var now = Instant.start

    /// Controllers with the addresses 11:11:11:11:11:11, 22:22:22:22:22:22 and so on, with a signal strength of −40
    /// dBm.
    init(controllers: Int, seed: UInt64 = 1, sleeps: Bool = true) {
        airspace = Airspace(seed: RandomStream(seed: seed), sleeps: sleeps)
        for number in 0..<controllers {
            let address = DeviceAddress(0x1111_1111_1111 * UInt64(number + 1), .public)
            var place = Medium.Station()
            place.strength = -40
            _ = airspace.add(address: address, at: place)
            received.append([])
        }
    }

    /// With the events of the tests unmasked.
    static func unmasked(controllers: Int, seed: UInt64 = 1) -> AirspaceHarness {
        var harness = AirspaceHarness(controllers: controllers, seed: seed)
        for host in 0..<controllers {
            _ = harness.ask(host, "010C 08 FFFFFFFFFFFFFF3F")
            _ = harness.ask(host, "0120 08 1F00000000000000")
        }
        return harness
    }

    /// Sends a command, and returns what the host receives at once.
    mutating func ask(_ host: Int, _ hex: String) -> [String] { ask(host, octets: octets(hex)) }

    mutating func ask(_ host: Int, octets: [UInt8]) -> [String] {
        give(.command, octets, by: host)
        return take(host)
    }

    mutating func sendData(_ host: Int, _ hex: String) { give(.acl, octets(hex), by: host) }

    mutating func give(_ kind: PacketKind, _ octets: [UInt8], by host: Int) {
        airspace.receive(kind, pool.take(octets), by: host, at: now, pool: &pool, into: &outbox)
        empty()
    }

    /// Adds a controller, and returns its number.
    mutating func add(_ address: DeviceAddress) -> Int {
        let host = airspace.add(address: address)
        if host == received.count { received.append([]) } else { received[host] = [] }
        return host
    }

    /// The number of controllers, including removed ones.
    var controllers: Int { airspace.count }

    mutating func remove(_ host: Int) {
        airspace.remove(host, at: now, pool: &pool, into: &outbox)
        empty()
    }

    /// Changes the radio properties of a controller.
    mutating func change(_ host: Int, _ change: (inout Medium.Station) -> Void) {
        airspace.change(host, at: now, pool: &pool, into: &outbox, change)
        empty()
    }

    mutating func setPower(_ host: Int, isOn: Bool) {
        airspace.setPower(of: host, isOn: isOn, at: now, pool: &pool, into: &outbox)
        empty()
    }

    /// Advances the time.
    mutating func run(milliseconds: Int64) {
        let end = now.advanced(byNanoseconds: milliseconds * 1_000_000)
        while let ticket = queue.takeFirst(dueBy: end) {
            now = queue.now
            guard let timer = timers.removeValue(forKey: ticket.slot) else { continue }
            airspace.timePassed(timer, at: now, pool: &pool, into: &outbox)
            empty()
        }
        now = end
    }

    /// The packets that a host has received since the last call, in hexadecimal; data begin with `ACL`.
    mutating func take(_ host: Int) -> [String] {
        defer { received[host] = [] }
        return received[host].map { received in (received.kind == .acl ? "ACL " : "") + hex(received.octets) }
    }

    private mutating func empty() {
        for output in outbox {
            switch output {
            case .toHost(let host, let kind, let packet):
                received[host].append(Received(at: now, kind: kind, octets: pool.octets(of: packet)))
                pool.release(packet)
            case .wake(let timer, let due): timers[queue.insert(due: due).slot] = timer
            }
        }
        outbox.removeAll(keepingCapacity: true)
    }
}

func octets(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hex(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}
