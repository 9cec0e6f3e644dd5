import Basics
import Bluetooth
import CoreBluetooth
import HCI
import ScenarioModel
import SystemBluetooth
import VirtualWorld

/// Phones in a world, each with its Bluetooth service and its controller. The app receives their events at once.
struct AttachedPhones: Participant {
    private struct Phone {
        var host: SystemHost
        let controller: Int
        var wakes: [Instant] = []
        var outputs: [SystemHost.Output] = []

        mutating func step(_ input: SystemHost.Input, at now: Instant) { host.step(input, at: now, into: &outputs) }
    }

    private var phones: [Phone] = []

    /// Adds a phone; returns its number. The app under test is on the first.
    mutating func add(_ host: SystemHost, to world: inout World) -> Int {
        phones.append(Phone(host: host, controller: world.addGuest(at: world.now)))
        return phones.count - 1
    }

    var count: Int { phones.count }

    var deadline: Instant { phones.lazy.flatMap(\.wakes).min() ?? .never }

    mutating func begin(in world: inout World) {}

    mutating func timePassed(in world: inout World) {
        let now = world.now
        for phone in phones.indices where phones[phone].wakes.contains(where: { $0 <= now }) {
            phones[phone].wakes.removeAll { $0 <= now }
            phones[phone].step(.timePassed, at: now)
        }
    }

    /// Passes a request of the app to a phone.
    mutating func request(_ request: ProgramRequest, of manager: ProgramID, _ phone: Int, in world: inout World) {
        if phone == 0, let line = StateLine.text(for: request) { world.clientReported(ShownLine(line)) }
        phones[phone].step(.request(manager, request), at: world.now)
    }

    mutating func settle(in world: inout World) {
        repeat {
            for phone in phones.indices { deliver(phone, in: &world) }
            while let output = world.outbox.takeFirst() {
                guard case .toGuest(let controller, let kind, let packet) = output else { continue }
                let octets = world.pool.octets(of: packet)
                world.pool.release(packet)
                guard let phone = phones.firstIndex(where: { $0.controller == controller }) else { continue }
                phones[phone].step(.received(kind, octets), at: world.now)
            }
        } while phones.contains { !$0.outputs.isEmpty }
    }

    private mutating func deliver(_ phone: Int, in world: inout World) {
        let outputs = phones[phone].outputs
        phones[phone].outputs.removeAll(keepingCapacity: true)
        for output in outputs {
            switch output {
            case .send(let kind, let octets):
                world.receive(kind, octets[...], fromGuest: phones[phone].controller, at: world.now)
            case .wake(let due): phones[phone].wakes.append(due)
            case .event(let manager, let event):
                if phone == 0, let line = StateLine.text(for: event) { world.clientReported(ShownLine(line)) }
                Managers.deliver(event, to: manager)
            }
        }
    }
}

/// A line of the contract of clients as it is, or other text as a JSON string.
struct ShownLine: JSONWritable {
    private let line: String

    init(_ line: String) { self.line = line }

    func write(to text: inout JSONText) {
        if Datum(json: line.utf8) != nil { text.append(text: line) } else { text.append(quoted: line) }
    }
}
