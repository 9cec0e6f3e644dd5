public import Bluetooth
public import GATT
public import Octets
import Sensors
public import Simulation

/// A device as its clients know it: attributes, their values over time, and what is notified when.  It does not know
/// how it reaches the air, or who listens: only for which values somebody does.
public struct PeripheralDevice: AttributeValues, Sendable {
    /// A value that is to be sent to everybody who is subscribed to it.
    public struct Notification: Hashable, Sendable {
        /// Of the value.
        public var handle: UInt16
        /// The value; it belongs to who takes the notification.
        public var packet: Packet

        /// A value that the sender has made itself.
        public init(handle: UInt16, packet: Packet) { (self.handle, self.packet) = (handle, packet) }
    }

    private struct Place: Sendable {
        let part: Part
        /// Whether it is notified, or indicated.
        let told: CharacteristicProperties
        /// Which characteristic of its service it is, counted from 0.
        let characteristic: Int
        /// Nil while its service is not there.
        var handle: UInt16?
    }

    /// A value to which somebody listens.
    private struct HeardPlace: Sendable {
        let handle: UInt16
        let part: Part
        /// Nobody can have it notified.
        let isNeverNotified: Bool
        /// Whether all who listen have it indicated.
        var isIndicated: Bool
    }

    /// What it was made of.
    public let definition: PeripheralDefinition
    /// Its attributes.
    public private(set) var table: AttributeTable
    private var places: [Place] = []
    private var sensors: [any ServiceSensor]
    private var body: Body
    private var clock = DeviceClock()
    /// Values to which somebody listens.
    private var heard: [HeardPlace] = []
    /// Values that nobody is told, though they may listen: what comes of them is lost.
    private var silent: [UInt16] = []
    /// Values that are told at rates of their own.
    private var bursts: [Burst] = []
    /// What could not be said so far, in order: the first number of each part.
    public private(set) var saturatedValues: [SaturatedValue] = []

    /// Gives the definition its handles; chance comes from `seed`.
    public init(_ definition: PeripheralDefinition, seed: RandomStream) throws(AttributeTable.DefinitionError) {
        self.definition = definition
        (sensors, body) = Self.sensors(for: definition, seed: seed)
        let own = [Self.genericAccess(definition), Self.genericAttribute]
        var attributes = sensors.map(\.attributes)
        for service in definition.absentServices where attributes.indices.contains(service) {
            attributes[service].0.isPresent = false
        }
        table = try AttributeTable(own + attributes.map(\.0))
        for (service, (defined, quantities)) in attributes.enumerated() {
            for (index, (characteristic, quantity)) in zip(defined.characteristics, quantities).enumerated() {
                let told = characteristic.properties.intersection([.notify, .indicate])
                places.append(
                    Place(part: Part(service: service, quantity), told: told, characteristic: index, handle: nil))
            }
        }
        findPlaces()
    }

    /// The part whose value has this handle; nil for what no script can name.
    public func part(of handle: UInt16) -> Part? { places.first { $0.handle == handle }?.part }

    /// Whether a value is indicated to those who listen, and never notified.
    public func indicates(_ handle: UInt16) -> Bool {
        places.contains { $0.handle == handle && $0.told == .indicate }
    }

    /// The handle of the value that a part is sent with; nil when the device has no such part, or its service is not there.
    public func handle(of part: Part) -> UInt16? { place(of: part)?.handle }

    /// The part whose value a part is sent with; nil when the device has no such part.
    public func carrier(of part: Part) -> Part? { place(of: part)?.part }
    /// Where a service of the definition stands among those of the table, which begin with what every device has.
    public func placeInTable(ofService service: Int) -> Int { service + Self.ownServices }

    private func place(of part: Part) -> Place? {
        places.first { $0.part == Part(service: part.service, part.quantity.carrier) }
    }

    // MARK: Other attributes

    /// Its attributes, if those of its services were so many handles further on.
    public func table(movedBy distance: UInt16) throws(AttributeTable.DefinitionError) -> AttributeTable {
        try table.moving(from: Self.ownServices, by: distance)
    }

    /// Its attributes, if some of its services were not there, and then others were.
    public func table(
        removing removed: [Int], adding added: [Int]
    ) throws(AttributeTable.DefinitionError) -> AttributeTable {
        func places(_ services: [Int]) -> [Int] {
            services.filter(sensors.indices.contains).map { $0 + Self.ownServices }
        }
        return try table.removing(places(removed), adding: places(added))
    }

    /// Has other attributes from now on: one of the tables above.  Nobody listens to what is not where it was.
    public mutating func adopt(_ table: AttributeTable, at now: Instant) {
        self.table = table
        findPlaces()
        for place in heard where handle(of: place.part) != place.handle { end(place.handle, at: now) }
    }

    /// Generic Access and Generic Attribute, which stand before the others.
    private static let ownServices = 2

    private mutating func findPlaces() {
        for index in places.indices {
            let service = places[index].part.service + Self.ownServices
            places[index].handle = table.handle(ofValue: places[index].characteristic, service: service)
        }
    }

    // MARK: Reading and writing

    /// Reads a value of now; the fixed ones are not asked for.
    public mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        guard let part = part(of: handle) else { throw .unlikelyError }
        defer { keepSaturatedValues(of: part.service) }
        return try sensors[part.service].read(part.quantity, at: clock.time(at: now), of: &body)
    }

    /// Takes what a client wrote; the error is what its sensor answers.
    public mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        guard let part = part(of: handle) else { throw .unlikelyError }
        try sensors[part.service].write(value, to: part.quantity, at: clock.time(at: now), of: &body)
    }

    // MARK: Notifications

    /// The least ATT MTU of those who are connected: what is notified has so much room, less three octets.
    public var mtu: Int {
        get { body.mtu }
        set { body.mtu = newValue }
    }

    /// When `timePassed` has something to do, before now if it is late; nil while nobody listens.
    public var nextDue: Instant? {
        var next = Instant.never
        for place in heard where !isSilent(place.handle) { next = min(next, due(place)) }
        return next == .never ? nil : clock.instant(of: next)
    }

    /// By the device's own clock.
    private func due(_ place: HeardPlace) -> Instant {
        if let burst = burst(of: place.part) { return bursts[burst].due }
        return sensors[place.part.service].due(place.part.quantity, of: body)
    }

    private func burst(of part: Part) -> Int? {
        bursts.isEmpty ? nil : bursts.firstIndex { $0.part == part }
    }

    /// Somebody listens to a value, who did not before; nothing comes of it for one that is not told.
    public mutating func begin(_ handle: UInt16, at now: Instant) {
        guard !heard.contains(where: { $0.handle == handle }),
            let place = places.first(where: { $0.handle == handle }), !place.told.isEmpty
        else { return }
        let now = clock.time(at: now)
        let isIndicated = place.told == .indicate
        heard.append(
            HeardPlace(
                handle: handle, part: place.part, isNeverNotified: isIndicated, isIndicated: isIndicated))
        sensors[place.part.service].begin(place.part.quantity, at: now, of: &body)
        if let burst = burst(of: place.part) { bursts[burst].skip(to: now) }
        keepSaturatedValues(of: place.part.service)
    }

    /// Nobody listens to a value any more.
    public mutating func end(_ handle: UInt16, at now: Instant) {
        guard let index = heard.firstIndex(where: { $0.handle == handle }) else { return }
        let part = heard.remove(at: index).part
        sensors[part.service].end(part.quantity, at: clock.time(at: now))
    }

    /// Those who listen to a value have changed: whether all of them have it indicated now, and none notified.
    public mutating func listenersChanged(_ handle: UInt16, areIndicated: Bool) {
        for index in heard.indices where heard[index].handle == handle {
            heard[index].isIndicated = areIndicated || heard[index].isNeverNotified
            endWaiting(heard[index].part)
        }
    }

    /// Nobody need confirm a value before it is told again.
    private mutating func endWaiting(_ part: Part) { if let burst = burst(of: part) { bursts[burst].goOn() } }

    /// A client has confirmed an indication of a value.
    public mutating func confirmed(_ handle: UInt16, at now: Instant) {
        guard let part = part(of: handle) else { return }
        endWaiting(part)
        sensors[part.service].confirmed(part.quantity, at: clock.time(at: now))
    }

    /// An indication of a value was not sent: too many wait before it, or the client is out of sync.
    public mutating func dropped(_ handle: UInt16, at now: Instant) {
        guard let part = part(of: handle) else { return }
        endWaiting(part)
        sensors[part.service].dropped(part.quantity, at: clock.time(at: now))
    }

    /// A value that was told last is held back, or thrown away: nobody confirms it in time, and the next need not wait.
    public mutating func withheld(_ handle: UInt16) {
        guard let part = part(of: handle) else { return }
        endWaiting(part)
        sensors[part.service].withheld(part.quantity)
    }

    /// From now on these values are not notified, and all others are again: of a heart, what beats from now on.
    public mutating func keepSilent(_ handles: [UInt16], at now: Instant) {
        let freed = silent.filter { !handles.contains($0) }
        silent = handles
        let now = clock.time(at: now)
        for place in heard where freed.contains(place.handle) {
            if let burst = burst(of: place.part) { bursts[burst].skip(to: now) }
            sensors[place.part.service].resume(place.part.quantity, at: now, of: &body)
            keepSaturatedValues(of: place.part.service)
        }
    }

    /// Whether a value is not notified.
    public func isSilent(_ handle: UInt16) -> Bool { silent.contains(handle) }

    /// Makes the notifications that are due.
    public mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Notification]) {
        let now = clock.time(at: now)
        for place in heard where !isSilent(place.handle) {
            var due = self.due(place)
            while due <= now {
                if let packet = nextValue(of: place, at: now, pool: &pool) {
                    outbox.append(Notification(handle: place.handle, packet: packet))
                }
                let next = self.due(place)
                guard next > due else { break }
                due = next
            }
        }
    }

    private mutating func nextValue(of place: HeardPlace, at now: Instant, pool: inout PacketPool) -> Packet? {
        guard let burst = burst(of: place.part) else { return value(of: place.part, .due, at: now, pool: &pool) }
        let packet = value(of: place.part, .asked, at: now, pool: &pool)
        bursts[burst].told(at: now, awaitsConfirmation: packet != nil && place.isIndicated)
        return packet
    }

    /// The present value of a part, to be notified out of turn; nil when there is none.
    public mutating func value(of part: Part, at now: Instant, pool: inout PacketPool) -> Packet? {
        guard let place = place(of: part), !place.told.isEmpty else { return nil }
        return value(of: part, .asked, at: clock.time(at: now), pool: &pool)
    }

    private mutating func value(
        of part: Part, _ occasion: Occasion, at now: Instant, pool: inout PacketPool
    ) -> Packet? {
        var packet = pool.take()
        let isTold = sensors[part.service].tell(
            part.quantity.carrier, occasion, at: now, of: &body, into: &packet, pool: &pool)
        keepSaturatedValues(of: part.service)
        if isTold { return packet }
        pool.release(packet)
        return nil
    }

    private mutating func keepSaturatedValues(of service: Int) {
        guard !body.saturatedValues.isEmpty else { return }
        for (quantity, wanted) in body.saturatedValues {
            let part = Part(service: service, quantity)
            if !saturatedValues.contains(where: { $0.part == part }) {
                saturatedValues.append(SaturatedValue(part: part, wanted: wanted))
            }
        }
        body.saturatedValues.removeAll(keepingCapacity: true)
    }

    // MARK: The script

    /// Takes a quantity over from its curve, or gives it back when `value` is nil; false when it cannot be set so.
    ///
    /// A signal's own time counts from `begun`, or from now when that is nil.
    public mutating func set(_ part: Part, to value: PartValue?, at now: Instant, begun: Instant? = nil) -> Bool {
        guard place(of: part) != nil else { return false }
        let (now, begun) = (clock.time(at: now), begun.map(clock.time))
        return sensors[part.service].set(part.quantity, to: value, at: now, begun: begun, of: &body)
    }

    /// Tells a part's present value so many times a second, in place of its own period and from `begun` on, or at its
    /// period again if `rate` is nil.  What is indicated waits for its confirmation.
    public mutating func burst(_ part: Part, rate: Double?, begun: Instant, at now: Instant) {
        guard let place = place(of: part), !place.told.isEmpty else { return }
        let (now, begun) = (clock.time(at: now), clock.time(at: begun))
        bursts.removeAll { $0.part == place.part }
        if let rate, rate > 0 {
            bursts.append(Burst(place.part, rate: rate, from: begun, at: now))
        } else {
            sensors[place.part.service].goOn(place.part.quantity, at: now)
        }
    }

    /// From now on the clock of the sensors is so many millionths too fast, from -1000 to 1000.
    public mutating func drift(by partsPerMillion: Double, at now: Instant) {
        clock.drift(by: partsPerMillion, from: now)
    }

    /// What a part shows now, in its own unit, and a contact as 0 or 1; nil when it has no number, or none now.
    ///
    /// Asking changes nothing.
    public func number(of part: Part, at now: Instant) -> Double? {
        guard place(of: part) != nil else { return nil }
        return sensors[part.service].number(of: part.quantity, at: clock.time(at: now), of: body)
    }

    /// The octets of a part that says this and nothing else; nil when it cannot.
    public func octets(of part: Part, saying value: PartValue) -> [UInt8]? {
        guard place(of: part) != nil else { return nil }
        return sensors[part.service].octets(of: part.quantity, saying: value)
    }

    /// An electrode of a service comes off, or is put on again; false when it has none.
    public mutating func setLead(ofService service: Int, isOff: Bool, at now: Instant) -> Bool {
        guard sensors.indices.contains(service) else { return false }
        return sensors[service].setLead(isOff: isOff, at: clock.time(at: now))
    }

    /// The clock on the wall goes on by so much at once.
    public mutating func skipTime(by duration: Duration, at now: Instant) {
        for index in sensors.indices { sensors[index].clockSkips(at: clock.time(at: now), of: &body) }
        body.clock.skip(by: duration)
    }

    /// Whether the clock on the wall has come as far as it can count: `WallClock`.
    public func clockHasStopped(at now: Instant) -> Bool { body.clock.hasStopped(at: now) }
}
