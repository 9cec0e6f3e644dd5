import Basics
import Bluetooth
import Fuzzing
import HCI
import VirtualRadio

extension Reader {
    /// The first octet of a packet: the host (bits 0 and 1), and whether it sends a command or data, or time passes, as
    /// many milliseconds as the second octet has (bits 2 and 3).
    static let controller = Reader(
        "controller", "packets of three hosts: each command has one answer, events are valid, and no packet is kept"
    ) { octets throws(Broken) in
        var tested = TestedAirspace()
        for packet in Conversation(octets).prefix(128) {
            let (choice, host) = (packet.first ?? 0, Int((packet.first ?? 0) & 3) % TestedAirspace.hosts)
            switch choice >> 2 & 3 {
            case 0, 1: try tested.command(Array(packet.dropFirst()), by: host)
            case 2: try tested.give(.acl, Array(packet.dropFirst()), by: host)
            default: try tested.run(milliseconds: Int64(packet.dropFirst().first ?? 0))
            }
        }
        try tested.finish()
    }
}

/// An airspace with its timers.
private struct TestedAirspace {
    static let hosts = 3

    private var pool = PacketPool()
    private var airspace = Airspace(seed: RandomStream(seed: 1), sleeps: true)
    private var queue = EventQueue()
    private var timers: [Int: Radio.Timer] = [:]
    private var now = Instant.start
    /// The events for each host since the last command.
    private var events = [[Event]](repeating: [], count: hosts)

    init() {
        for number in 0..<Self.hosts {
            _ = airspace.add(address: DeviceAddress(0x1111_1111_1111 * UInt64(number + 1), .public))
        }
    }

    /// Sends a command, whose answer comes at once.
    mutating func command(_ octets: [UInt8], by host: Int) throws(Broken) {
        events[host] = []
        try give(.command, octets, by: host)
        guard let opcode = Opcode(ofCommand: octets) else { return }
        let answers = events[host].map(\.octets).filter { $0.first == 0x0E || $0.first == 0x0F }
        try require(answers.count == 1, "\(octets.hex) has \(answers.count) answers")
        let answered = answers.map { Opcode(ofCommand: Array($0.dropFirst($0.first == 0x0E ? 3 : 4))) }
        try require(answered == [opcode], "\(octets.hex) has the answer \(answers)")
    }

    mutating func give(_ kind: PacketKind, _ octets: [UInt8], by host: Int) throws(Broken) {
        var outbox: [Airspace.Output] = []
        airspace.receive(kind, pool.take(octets), by: host, at: now, pool: &pool, into: &outbox)
        try take(outbox)
    }

    mutating func run(milliseconds: Int64) throws(Broken) {
        let end = now.advanced(byNanoseconds: milliseconds * 1_000_000)
        while let ticket = queue.takeFirst(dueBy: end) {
            now = queue.now
            guard let timer = timers.removeValue(forKey: ticket.slot) else { continue }
            var outbox: [Airspace.Output] = []
            airspace.timePassed(timer, at: now, pool: &pool, into: &outbox)
            try take(outbox)
        }
        now = end
    }

    mutating func finish() throws(Broken) {
        for host in 0..<Self.hosts {
            var outbox: [Airspace.Output] = []
            airspace.remove(host, at: now, pool: &pool, into: &outbox)
            try take(outbox)
        }
        try run(milliseconds: 40_000)
        try require(pool.taken == 0, "\(pool.taken) packets are kept")
    }

    private mutating func take(_ outbox: [Airspace.Output]) throws(Broken) {
        for output in outbox {
            switch output {
            case .wake(let timer, let due): timers[queue.insert(due: due).slot] = timer
            case .toHost(let host, let kind, let packet):
                let octets = pool.octets(of: packet)
                pool.release(packet)
                guard kind == .event else { continue }
                guard let event = try? Event(octets: octets), (try? event.check()) != nil else {
                    throw Broken(description: "the controller sends the event \(octets.hex)")
                }
                events[host].append(event)
            }
        }
    }
}
