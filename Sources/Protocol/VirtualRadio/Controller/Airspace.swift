public import Basics
public import Bluetooth
public import HCI

/// Virtual controllers and the air that they share.
///
/// Hosts pass HCI packets to their controllers and receive HCI packets, both without the H4 indicator.  The number of a
/// controller is that of its station in the air.  The number of a removed controller is reused when no link refers to
/// it.
///
/// The airspace owns the packets that it receives.  The caller owns the packets in its outputs: `PacketPool`.
public struct Airspace: Sendable {
    /// What the airspace requests of its caller.
    public enum Output: Sendable {
        /// Pass this packet to the host of a controller, which then owns it.
        case toHost(controller: Int, PacketKind, Packet)
        /// Call `timePassed` with this timer at this instant.
        case wake(Radio.Timer, at: Instant)
    }

    private var controllers: [Controller] = []
    private var context: Context
    private var arrivals = 0
    private let seed: RandomStream

    /// An empty air.
    ///
    /// - Parameters:
    ///   - seed: The source of all random numbers.
    ///   - sleeps: False simulates every connection event, for tests.
    public init(seed: RandomStream, sleeps: Bool = true) {
        self.seed = seed
        context = Context(radio: Radio(seed: seed.stream("radio"), sleeps: sleeps))
    }

    /// The number of controllers, including removed ones whose numbers are not in use again.
    public var count: Int { controllers.count }

    /// The public address of a controller; nil: no such controller.
    public func publicAddress(of controller: Int) -> DeviceAddress? {
        controllers.indices.contains(controller) ? controllers[controller].publicAddress : nil
    }

    /// The address that a controller uses on a link, by the Connection_Handle at that controller; nil: no such link.
    public func ownAddress(ofLink handle: UInt16, of controller: Int) -> DeviceAddress? {
        guard controllers.indices.contains(controller) else { return nil }
        return controllers[controller].links.first { $0.handle == handle }?.own
    }

    /// Adds a controller, in its state after a reset.
    ///
    /// - Returns: Its number.
    public mutating func add(address: DeviceAddress, at place: Medium.Station = Medium.Station()) -> Int {
        let station = context.radio.add(place)
        let chance = seed.stream("controller \(arrivals)")
        arrivals += 1
        let controller = Controller(station: station, publicAddress: address, chance: chance)
        if station == controllers.count { controllers.append(controller) } else { controllers[station] = controller }
        return station
    }

    /// Assigns another public address to a controller, which uses it when it next starts to advertise.
    public mutating func assign(_ address: DeviceAddress, to controller: Int) {
        guard controllers.indices.contains(controller) else { return }
        controllers[controller].assignedAddress = DeviceAddress(address.number, .public)
    }

    /// Removes a controller.  Its links end at the other side by supervision timeout.
    public mutating func remove(
        _ controller: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        controllers[controller].leave(&context)
        context.radio.remove(controller)
        leave(&pool, &outbox)
    }

    /// Changes the position, power, presence, strength or loss of a controller.
    public mutating func change(
        _ controller: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output],
        _ change: (inout Medium.Station) -> Void
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        context.radio.change(controller, at: now, into: &context.outbox, change)
        leave(&pool, &outbox)
    }

    /// The position and radio properties of a controller.
    public func place(of controller: Int) -> Medium.Station? {
        let stations = context.radio.air.stations
        return stations.indices.contains(controller) ? stations[controller] : nil
    }

    /// Powers a controller off or on.
    ///
    /// Powered off, it reports Hardware Error (Core 6.0, Vol 4, Part E, section 7.7.16), loses its state and ignores
    /// its host; its links end at the other side by supervision timeout.  Powered on again, it is in its state after a
    /// reset, and announces that it accepts commands (Command Complete without an opcode: section 7.7.14).
    public mutating func setPower(
        of controller: Int, isOn: Bool, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return }
        enter(now, &pool, &outbox)
        controllers[controller].setPower(isOn, &context)
        leave(&pool, &outbox)
    }

    /// Whether the host of a controller reads too slowly.  Meanwhile the controller drops its advertising reports, as
    /// real controllers do when their buffers are full.
    public mutating func setCongestion(of controller: Int, _ isCongested: Bool) {
        guard controllers.indices.contains(controller) else { return }
        controllers[controller].isHostCongested = isCongested
    }

    /// Handles an HCI packet from the host of a controller, and owns it.
    public mutating func receive(
        _ kind: PacketKind, _ packet: Packet, by controller: Int, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard controllers.indices.contains(controller) else { return pool.release(packet) }
        enter(now, &pool, &outbox)
        controllers[controller].receive(kind, packet, &context)
        leave(&pool, &outbox)
    }

    /// To be called at the instant of a `.wake`.
    public mutating func timePassed(
        _ timer: Radio.Timer, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        enter(now, &pool, &outbox)
        context.radio.timePassed(timer, at: now, pool: &context.pool, into: &context.outbox)
        leave(&pool, &outbox)
    }

    /// Swaps the pool and the outbox into the context, without a copy, for the duration of a call.
    private mutating func enter(_ now: Instant, _ pool: inout PacketPool, _ outbox: inout [Output]) {
        context.now = now
        swap(&context.pool, &pool)
        swap(&context.outbox.outputs, &outbox)
    }

    /// Passes the indications of the radio to the controllers, which may cause further ones.
    private mutating func leave(_ pool: inout PacketPool, _ outbox: inout [Output]) {
        while let (station, indication) = context.outbox.indications.takeFirst() {
            controllers[station].indicated(indication, &context)
        }
        swap(&context.pool, &pool)
        swap(&context.outbox.outputs, &outbox)
    }
}

/// The shared state that controllers use during a call.
struct Context: Sendable {
    var now = Instant.start
    var radio: Radio
    var pool = PacketPool()
    var outbox = Radio.Outbox()

    init(radio: Radio) { self.radio = radio }
}
