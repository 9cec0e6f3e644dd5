public import Air
public import Bluetooth
public import HCI
public import Octets
public import Simulation

/// Virtual controllers and the air that they share.
///
/// HCI packets of hosts go in, HCI packets for hosts come out; packets are without their H4 indicator.  A controller's
/// number is its station's in the air.  The number of one that has left is given to a later one, when nobody is linked
/// to who left any more: comings and goings leave nothing behind.
public struct Airspace: Sendable {
    /// What is to be done.
    public enum Output: Sendable {
        /// Give this to the host of a controller, which then owns the packet.
        case toHost(controller: Int, PacketKind, Packet)
        /// Call `timePassed` with this timer at this instant.
        case wake(Radio.Timer, at: Instant)
    }

    private var controllers: [Controller] = []
    private var context: Context
    private var arrivals = 0
    private let seed: RandomStream

    /// An empty air; `sleeps: false` plays every connection event, for tests.
    public init(seed: RandomStream, sleeps: Bool = true) {
        self.seed = seed
        context = Context(radio: Radio(seed: seed.stream("radio"), sleeps: sleeps))
    }

    /// How many numbers have been given.
    public var count: Int { controllers.count }

    /// What a controller calls itself on a link, by the link's handle at that controller; nil when there is none.
    public func ownAddress(ofLink handle: UInt16, of controller: Int) -> DeviceAddress? {
        guard controllers.indices.contains(controller) else { return nil }
        return controllers[controller].links.first { $0.handle == handle }?.own
    }

    /// The number of a new controller, in the state after a reset.
    public mutating func add(address: DeviceAddress, at place: Medium.Station = Medium.Station()) -> Int {
        let station = context.radio.add(place)
        let chance = seed.stream("controller \(arrivals)")
        arrivals += 1
        let controller = Controller(station: station, publicAddress: address, chance: chance)
        if station == controllers.count { controllers.append(controller) } else { controllers[station] = controller }
        return station
    }

    /// Gives a controller another public address, by which it is known when it next begins to advertise.
    public mutating func assign(_ address: DeviceAddress, to controller: Int) {
        guard controllers.indices.contains(controller) else { return }
        controllers[controller].assignedAddress = DeviceAddress(address.number, .public)
    }

    /// Takes a controller out of the air: what it was linked to misses it after the supervision timeout.
    public mutating func remove(
        _ controller: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        controllers[controller].leave(&context)
        context.radio.remove(controller)
        leave(&pool, &outbox)
    }

    /// Moves a controller, strengthens it, takes it out of reach or brings it back.
    public mutating func change(
        _ controller: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output],
        _ change: (inout Medium.Station) -> Void
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        context.radio.change(controller, at: now, into: &context.outbox, change)
        leave(&pool, &outbox)
    }

    /// Where a controller is.
    public func place(of controller: Int) -> Medium.Station? {
        let stations = context.radio.air.stations
        return stations.indices.contains(controller) ? stations[controller] : nil
    }

    /// Takes the power of a controller away, or gives it back; then it is as after a reset.
    ///
    /// It says that it fails (Hardware Error: Core 6.0, Vol 4, Part E, section 7.7.16), forgets everything and answers nothing;
    /// its links end by supervision timeout at the other side.  With power again it says that it takes commands (Command
    /// Complete of none: section 7.7.14).
    public mutating func setPower(
        of controller: Int, isOn: Bool, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        controllers[controller].setPower(isOn, &context)
        leave(&pool, &outbox)
    }

    /// Takes an HCI packet from the host of a controller, and owns it.
    public mutating func receive(
        _ kind: PacketKind, _ packet: Packet, by controller: Int, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return pool.release(packet) }
        enter(now, &pool, &outbox)
        controllers[controller].receive(kind, packet, &context)
        leave(&pool, &outbox)
    }

    /// The instant of a `.wake` has come.
    public mutating func timePassed(
        _ timer: Radio.Timer, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        enter(now, &pool, &outbox)
        context.radio.timePassed(timer, at: now, pool: &context.pool, into: &context.outbox)
        leave(&pool, &outbox)
    }

    /// The context has the pool and the outbox while something is handled; they are exchanged, not copied.
    private mutating func enter(_ now: Instant, _ pool: inout PacketPool, _ outbox: inout [Output]) {
        context.now = now
        swap(&context.pool, &pool)
        swap(&context.outbox.outputs, &outbox)
    }

    /// Passes on what the radio said meanwhile; answers of controllers may make it say more.
    private mutating func leave(_ pool: inout PacketPool, _ outbox: inout [Output]) {
        while let (station, indication) = context.outbox.indications.takeFirst() {
            controllers[station].indicated(indication, &context)
        }
        swap(&context.pool, &pool)
        swap(&context.outbox.outputs, &outbox)
    }
}

/// What controllers work with while something is handled.
struct Context: Sendable {
    var now = Instant.start
    var radio: Radio
    var pool = PacketPool()
    var outbox = Radio.Outbox()

    init(radio: Radio) { self.radio = radio }
}
