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
        let handle: UInt16
        let part: Part
        /// Whether it is notified, or indicated.
        let told: CharacteristicProperties
    }

    /// What it was made of.
    public let definition: PeripheralDefinition
    /// Its attributes.
    public let table: AttributeTable
    private var places: [Place] = []
    private var sensors: [any ServiceSensor]
    private var body: Body
    /// Values to which somebody listens.
    private var heard: [Place] = []
    /// Values that nobody is told, though they may listen: what comes of them is lost.
    private var silent: [UInt16] = []
    /// What could not be said so far, in order: the first number of each part.
    public private(set) var misfits: [Misfit] = []

    /// Gives the definition its handles; chance comes from `seed`.
    public init(_ definition: PeripheralDefinition, seed: RandomStream) throws(AttributeTable.DefinitionError) {
        self.definition = definition
        (sensors, body) = Self.sensors(for: definition, seed: seed)
        let own = [Self.genericAccess(definition), Self.genericAttribute]
        let attributes = sensors.map(\.attributes)
        table = try AttributeTable(own + attributes.map(\.0))
        for (service, (defined, quantities)) in attributes.enumerated() {
            for (index, (characteristic, quantity)) in zip(defined.characteristics, quantities).enumerated() {
                guard let handle = table.handle(ofValue: index, service: service + own.count) else { continue }
                let told = characteristic.properties.intersection([.notify, .indicate])
                places.append(
                    Place(handle: handle, part: Part(service: service, quantity), told: told))
            }
        }
    }

    /// The part whose value has this handle; nil for what no script can name.
    public func part(of handle: UInt16) -> Part? { places.first { $0.handle == handle }?.part }

    /// Whether a value is indicated to those who listen, and never notified.
    public func indicates(_ handle: UInt16) -> Bool {
        places.contains { $0.handle == handle && $0.told == .indicate }
    }

    /// The handle of the value that a part is sent with; nil when the device has no such part.
    public func handle(of part: Part) -> UInt16? { place(of: part)?.handle }

    /// Where a service of the definition stands among those of the table, which begin with what every device has.
    public func placeInTable(ofService service: Int) -> Int { table.services.count - sensors.count + service }

    private func place(of part: Part) -> Place? {
        places.first { $0.part == Part(service: part.service, part.quantity.carrier) }
    }

    // MARK: Reading and writing

    /// Reads a value of now; the fixed ones are not asked for.
    public mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        guard let part = part(of: handle) else { throw .unlikelyError }
        defer { keepMisfits(of: part.service) }
        return try sensors[part.service].read(part.quantity, at: now, of: &body)
    }

    /// Takes what a client wrote; the error is what its sensor answers.
    public mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        guard let part = part(of: handle) else { throw .unlikelyError }
        try sensors[part.service].write(value, to: part.quantity, at: now, of: &body)
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
        for place in heard where !isSilent(place.handle) {
            next = min(next, sensors[place.part.service].due(place.part.quantity, of: body))
        }
        return next == .never ? nil : next
    }

    /// Somebody listens to a value, who did not before; nothing comes of it for one that is not told.
    public mutating func begin(_ handle: UInt16, at now: Instant) {
        guard !heard.contains(where: { $0.handle == handle }),
            let place = places.first(where: { $0.handle == handle }), !place.told.isEmpty
        else { return }
        heard.append(place)
        sensors[place.part.service].begin(place.part.quantity, at: now, of: &body)
        keepMisfits(of: place.part.service)
    }

    /// Nobody listens to a value any more.
    public mutating func end(_ handle: UInt16, at now: Instant) {
        guard let index = heard.firstIndex(where: { $0.handle == handle }) else { return }
        let part = heard.remove(at: index).part
        sensors[part.service].end(part.quantity, at: now)
    }

    /// A client has confirmed an indication of a value.
    public mutating func confirmed(_ handle: UInt16, at now: Instant) {
        guard let part = part(of: handle) else { return }
        sensors[part.service].confirmed(part.quantity, at: now)
    }

    /// An indication of a value was not sent: too many wait before it, or the client is out of sync.
    public mutating func dropped(_ handle: UInt16, at now: Instant) {
        guard let part = part(of: handle) else { return }
        sensors[part.service].dropped(part.quantity, at: now)
    }

    /// From now on these values are not notified, and all others are again: of a heart, what beats from now on.
    public mutating func keepSilent(_ handles: [UInt16], at now: Instant) {
        let freed = silent.filter { !handles.contains($0) }
        silent = handles
        for place in heard where freed.contains(place.handle) {
            sensors[place.part.service].resume(place.part.quantity, at: now, of: &body)
            keepMisfits(of: place.part.service)
        }
    }

    /// Whether a value is not notified.
    public func isSilent(_ handle: UInt16) -> Bool { silent.contains(handle) }

    /// Makes the notifications that are due.
    public mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Notification]) {
        for place in heard where !isSilent(place.handle) {
            let (service, quantity) = (place.part.service, place.part.quantity)
            var due = sensors[service].due(quantity, of: body)
            while due <= now {
                if let packet = value(of: place.part, .due, at: now, pool: &pool) {
                    outbox.append(Notification(handle: place.handle, packet: packet))
                }
                let next = sensors[service].due(quantity, of: body)
                guard next > due else { break }
                due = next
            }
        }
    }

    /// The present value of a part, to be notified out of turn; nil when there is none.
    public mutating func value(of part: Part, at now: Instant, pool: inout PacketPool) -> Packet? {
        guard let place = place(of: part), !place.told.isEmpty else { return nil }
        return value(of: part, .asked, at: now, pool: &pool)
    }

    private mutating func value(
        of part: Part, _ occasion: Occasion, at now: Instant, pool: inout PacketPool
    ) -> Packet? {
        var packet = pool.take()
        let isTold = sensors[part.service].tell(
            part.quantity.carrier, occasion, at: now, of: &body, into: &packet, pool: &pool)
        keepMisfits(of: part.service)
        if isTold { return packet }
        pool.release(packet)
        return nil
    }

    private mutating func keepMisfits(of service: Int) {
        guard !body.misfits.isEmpty else { return }
        for (quantity, wanted) in body.misfits {
            let part = Part(service: service, quantity)
            if !misfits.contains(where: { $0.part == part }) { misfits.append(Misfit(part: part, wanted: wanted)) }
        }
        body.misfits.removeAll(keepingCapacity: true)
    }

    // MARK: The script

    /// Takes a quantity over from its curve, or gives it back when `value` is nil; false when it cannot be set so.
    ///
    /// A signal's own time counts from `begun`, or from now when that is nil.
    public mutating func set(_ part: Part, to value: PartValue?, at now: Instant, begun: Instant? = nil) -> Bool {
        guard place(of: part) != nil else { return false }
        return sensors[part.service].set(part.quantity, to: value, at: now, begun: begun, of: &body)
    }

    /// What a part shows now, in its own unit, and a contact as 0 or 1; nil when it has no number, or none now.
    ///
    /// Asking changes nothing.
    public func number(of part: Part, at now: Instant) -> Double? {
        guard place(of: part) != nil else { return nil }
        return sensors[part.service].number(of: part.quantity, at: now, of: body)
    }

    /// The octets of a part that says this and nothing else; nil when it cannot.
    public func octets(of part: Part, saying value: PartValue) -> [UInt8]? {
        guard place(of: part) != nil else { return nil }
        return sensors[part.service].octets(of: part.quantity, saying: value)
    }

    /// An electrode of a service comes off, or is put on again; false when it has none.
    public mutating func setLead(ofService service: Int, isOff: Bool, at now: Instant) -> Bool {
        guard sensors.indices.contains(service) else { return false }
        return sensors[service].setLead(isOff: isOff, at: now)
    }

    /// The clock on the wall goes on by so much at once.
    public mutating func skipTime(by duration: Duration, at now: Instant) {
        for index in sensors.indices { sensors[index].clockSkips(at: now, of: &body) }
        body.clock.skip(by: duration)
    }

    /// Whether the clock on the wall has come as far as it can count: `WallClock`.
    public func clockHasStopped(at now: Instant) -> Bool { body.clock.hasStopped(at: now) }
}
