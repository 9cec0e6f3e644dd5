import ATT
package import Basics
package import Bluetooth
package import GATT

/// A device as its clients see it: its attributes, their values over time, and its notifications. It does not know
/// about radios or clients: only which values have subscribers.
package struct PeripheralDevice: AttributeValues, Sendable {
    /// A value to send to every subscriber.
    package struct Notification: Hashable, Sendable {
        package var handle: UInt16
        /// The value; the caller that takes the notification owns it.
        package var packet: Packet

        /// A value that the caller encoded itself.
        package init(handle: UInt16, packet: Packet) { (self.handle, self.packet) = (handle, packet) }
    }

    private struct Place: Sendable {
        let value: DeviceValue
        /// Notify, indicate, both or neither.
        let sent: CharacteristicProperties
        let characteristic: Int
        /// Nil while the device does not have the service.
        var handle: UInt16?
    }

    /// A value to which a client is subscribed.
    private struct Subscription: Sendable {
        let handle: UInt16
        let value: DeviceValue
        /// Whether the characteristic has Indicate, and not Notify.
        let isNeverNotified: Bool
        /// Whether all subscribers receive indications.
        var isIndicated: Bool
    }

    package let definition: PeripheralDefinition
    private let seed: RandomStream
    /// How many services precede those of the definition: Generic Access and Generic Attribute, or none.
    private let ownServices: Int
    package private(set) var table: AttributeTable
    /// In the order of the services and their values.
    private var places: [Place] = []
    private var handles = HandleIndex([])
    private var descriptors: WriteableDescriptors
    private var sensors: [any ServiceSensor]
    private var context: SensorContext
    private var clock = DeviceClock()
    /// Values with subscribers.
    private var subscriptions: [Subscription] = []
    /// The handles of values that are not notified despite subscriptions.
    private var silent = HandleIndex([])
    /// Values that a script notifies at its own rate.
    private var bursts: [Burst] = []
    /// The first number out of range of each value, in order.
    package private(set) var saturatedValues: [SaturatedValue] = []

    /// Assigns handles; `seed` determines all random numbers.
    package init(_ definition: PeripheralDefinition, seed: RandomStream) throws(AttributeTable.DefinitionError) {
        (self.definition, self.seed) = (definition, seed)
        (sensors, context) = Self.sensors(for: definition, clock: definition.clock, seed: seed)
        var attributes = definition.services.map(\.attributes)
        let own = definition.hasGenericServices ? [Self.genericAccess(definition), .genericAttribute] : []
        ownServices = own.count
        for service in definition.absentServices where attributes.indices.contains(service) {
            attributes[service].definition.isPresent = false
        }
        for service in attributes.indices {
            attributes[service].definition.includes = attributes[service].definition.includes.map {
                $0 + own.count
            }
            attributes[service].definition.provideServerValues()
        }
        descriptors = WriteableDescriptors(of: &attributes, after: own.count)
        table = try AttributeTable(own + attributes.map(\.definition))
        table.rejectsShortWrites = definition.rejectsShortWrites
        for (service, (defined, ids)) in attributes.enumerated() {
            for (index, (characteristic, id)) in zip(defined.characteristics, ids).enumerated()
            where characteristic.value == .dynamic {
                let sent = characteristic.properties.intersection([.notify, .indicate])
                let value = DeviceValue(service: service, id)
                places.append(Place(value: value, sent: sent, characteristic: index, handle: nil))
            }
        }
        findPlaces()
    }

    /// The value with this handle; nil for one that scripts cannot name.
    package func value(of handle: UInt16) -> DeviceValue? { handles[handle].map { places[$0].value } }

    /// The type of the descriptor with this handle, and the value that it describes; nil for other attributes.
    package func descriptor(at handle: UInt16) -> (value: DeviceValue, type: UUID)? {
        guard handles[handle] == nil, let type = table.type(of: handle), !type.isDeclaration else { return nil }
        let owner = places.first { place in
            place.handle.flatMap { table.range(ofCharacteristicWithValue: $0) }?.contains(handle) == true
        }
        return owner.map { ($0.value, type) }
    }

    /// Whether a value can be indicated and not notified.
    package func indicates(_ handle: UInt16) -> Bool {
        handles[handle].map { places[$0].sent == .indicate } ?? false
    }

    /// The handle of the characteristic value that carries a value; nil when the device does not have it now.
    package func handle(of value: DeviceValue) -> UInt16? { place(of: value)?.handle }

    /// The characteristic value that carries a value; nil when the device never has it.
    package func carrier(of value: DeviceValue) -> DeviceValue? { place(of: value)?.value }

    /// The index in the table of a service of the definition; the table begins with `ownServices` others.
    package func placeInTable(ofService service: Int) -> Int { service + ownServices }

    private func place(of value: DeviceValue) -> Place? {
        let carrier = value.carrier
        let index = places.searchedIndex(after: { place in
            (place.value.service, place.value.id.index) < (carrier.service, carrier.id.index)
        })
        return index < places.count && places[index].value == carrier ? places[index] : nil
    }

    // MARK: Other attributes

    /// Its attributes, if those of its services had handles greater by `distance`.
    package func table(movedBy distance: UInt16) throws(AttributeTable.DefinitionError) -> AttributeTable {
        try table.moving(from: firstMovable, by: distance)
    }

    /// Its attributes, if `absent` services were removed and the others added.
    package func table(
        removing removed: [Int], adding added: [Int]
    ) throws(AttributeTable.DefinitionError) -> AttributeTable {
        func places(_ services: [Int]) -> [Int] {
            services.filter(sensors.indices.contains).map { $0 + ownServices }
        }
        return try table.removing(places(removed), adding: places(added))
    }

    /// Replaces its attributes by one of the tables above. Subscriptions end where a handle changes.
    package mutating func adopt(_ table: AttributeTable, at now: Instant) {
        self.table = table
        findPlaces()
        for subscription in subscriptions where handle(of: subscription.value) != subscription.handle {
            didUnsubscribe(from: subscription.handle, at: now)
        }
    }

    /// The index in the table of the first service that can move.
    private var firstMovable: Int {
        let generic: [UUID] = [.genericAccess, .genericAttribute]
        return table.services.firstIndex { !generic.contains($0.uuid) } ?? table.services.count
    }

    private mutating func findPlaces() {
        for index in places.indices {
            let service = places[index].value.service + ownServices
            places[index].handle = table.handle(ofValue: places[index].characteristic, service: service)
        }
        handles = HandleIndex(places.map(\.handle))
        descriptors.find(in: table)
    }

    // MARK: Reading and writing

    /// Reads the present value; fixed values are not read here.
    package mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        if let octets = descriptors[handle] { return octets }
        guard let value = value(of: handle) else { throw .unlikelyError }
        defer { keepSaturatedValues(of: value.service) }
        return try sensors[value.service].read(value.id, at: clock.time(at: now), context: &context)
    }

    /// Handles a client's write; throws the error that the sensor answers.
    package mutating func write(_ octets: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        if descriptors[handle] != nil {
            descriptors[handle] = octets
            return
        }
        guard let value = value(of: handle) else { throw .unlikelyError }
        var octets = octets
        if let count = sensors[value.service].fixedLength(of: value.id), octets.count < count {
            guard !definition.rejectsShortWrites else { throw .invalidAttributeValueLength }
            // The others stay.  Core 6.0, Vol 3, Part F, section 3.4.5.1.
            octets += try read(handle, at: now).dropFirst(octets.count)
        }
        try sensors[value.service].write(octets, to: value.id, at: clock.time(at: now), context: &context)
    }

    // MARK: Notifications

    /// The smallest ATT MTU of the connected clients: a notification holds three octets less.
    package var mtu: Int {
        get { context.mtu }
        set { context.mtu = newValue }
    }

    /// When to call `timePassed` next, possibly in the past; nil while no notification is due.
    package var nextDue: Instant? {
        var next = Instant.never
        for subscription in subscriptions where !isSilent(subscription.handle) { next = min(next, due(subscription)) }
        return next == .never ? nil : clock.instant(of: next)
    }

    /// When it is due, by the device's own clock.
    private func due(_ subscription: Subscription) -> Instant {
        let value = subscription.value
        if let burst = burst(of: value) { return bursts[burst].due }
        return sensors[value.service].nextNotification(of: value.id, context: context)
    }

    private func burst(of value: DeviceValue) -> Int? {
        bursts.isEmpty ? nil : bursts.firstIndex { $0.value == value }
    }

    /// The first client has subscribed to a value; does nothing for a value without Notify and Indicate.
    package mutating func didSubscribe(to handle: UInt16, at now: Instant) {
        guard !subscriptions.contains(where: { $0.handle == handle }),
            let place = handles[handle].map({ places[$0] }), !place.sent.isEmpty
        else { return }
        let now = clock.time(at: now)
        let (value, isIndicated) = (place.value, place.sent == .indicate)
        subscriptions.append(
            Subscription(handle: handle, value: value, isNeverNotified: isIndicated, isIndicated: isIndicated))
        sensors[value.service].didSubscribe(to: value.id, at: now, context: &context)
        if let burst = burst(of: value) { bursts[burst].skip(to: now) }
        keepSaturatedValues(of: value.service)
    }

    /// The last client has unsubscribed from a value.
    package mutating func didUnsubscribe(from handle: UInt16, at now: Instant) {
        guard let index = subscriptions.firstIndex(where: { $0.handle == handle }) else { return }
        let value = subscriptions.remove(at: index).value
        sensors[value.service].didUnsubscribe(from: value.id, at: clock.time(at: now))
    }

    /// The subscribers of a value have changed: `areIndicated` when all of them receive indications.
    package mutating func subscribersChanged(of handle: UInt16, areIndicated: Bool) {
        for index in subscriptions.indices where subscriptions[index].handle == handle {
            subscriptions[index].isIndicated = areIndicated || subscriptions[index].isNeverNotified
            stopWaiting(subscriptions[index].value)
        }
    }

    /// A burst continues without the confirmation of the last indication.
    private mutating func stopWaiting(_ value: DeviceValue) {
        if let burst = burst(of: value) { bursts[burst].stopWaiting() }
    }

    package mutating func indicationWasConfirmed(of handle: UInt16, at now: Instant) {
        guard let value = value(of: handle) else { return }
        stopWaiting(value)
        sensors[value.service].indicationWasConfirmed(of: value.id, at: clock.time(at: now))
    }

    /// An indication was not sent: too many are waiting, or the client is change-unaware.
    package mutating func indicationWasDropped(of handle: UInt16, at now: Instant) {
        guard let value = value(of: handle) else { return }
        stopWaiting(value)
        sensors[value.service].indicationWasDropped(of: value.id, at: clock.time(at: now))
    }

    /// A script delays or discards the last notification: there will be no confirmation, and the next need not wait.
    package mutating func notificationWasSuppressed(of handle: UInt16) {
        guard let value = value(of: handle) else { return }
        stopWaiting(value)
        sensors[value.service].notificationWasSuppressed(of: value.id)
    }

    /// Suppresses the notifications of exactly these values from now on.
    package mutating func keepSilent(_ handles: [UInt16], at now: Instant) {
        let before = silent
        silent = HandleIndex(handles)
        let now = clock.time(at: now)
        for subscription in subscriptions
        where before[subscription.handle] != nil && !isSilent(subscription.handle) {
            let value = subscription.value
            if let burst = burst(of: value) { bursts[burst].skip(to: now) }
            sensors[value.service].didResumeNotifying(value.id, at: now, context: &context)
            keepSaturatedValues(of: value.service)
        }
    }

    /// Whether a value is not notified.
    package func isSilent(_ handle: UInt16) -> Bool { silent[handle] != nil }

    package mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Notification]) {
        let now = clock.time(at: now)
        for subscription in subscriptions where !isSilent(subscription.handle) {
            var due = self.due(subscription)
            while due <= now {
                if let packet = nextPacket(for: subscription, at: now, pool: &pool) {
                    outbox.append(Notification(handle: subscription.handle, packet: packet))
                }
                let next = self.due(subscription)
                guard next > due else { break }
                due = next
            }
        }
    }

    private mutating func nextPacket(
        for subscription: Subscription, at now: Instant, pool: inout PacketPool
    ) -> Packet? {
        let value = subscription.value
        guard let burst = burst(of: value) else { return packet(of: value, .scheduled, at: now, pool: &pool) }
        let packet = packet(of: value, .onDemand, at: now, pool: &pool)
        bursts[burst].didNotify(at: now, awaitsConfirmation: packet != nil && subscription.isIndicated)
        return packet
    }

    /// The present value, for a notification on demand; nil when it has none.
    package mutating func packet(of value: DeviceValue, at now: Instant, pool: inout PacketPool) -> Packet? {
        guard let place = place(of: value), !place.sent.isEmpty else { return nil }
        return packet(of: value, .onDemand, at: clock.time(at: now), pool: &pool)
    }

    private mutating func packet(
        of value: DeviceValue, _ trigger: NotificationTrigger, at now: Instant, pool: inout PacketPool
    ) -> Packet? {
        var packet = pool.take()
        let hasValue = sensors[value.service].encodeNotification(
            of: value.id.characteristicValue, trigger: trigger, at: now, context: &context, into: &packet,
            pool: &pool)
        keepSaturatedValues(of: value.service)
        if hasValue { return packet }
        pool.release(packet)
        return nil
    }

    private mutating func keepSaturatedValues(of service: Int) {
        guard !context.saturatedValues.isEmpty else { return }
        for (id, wanted) in context.saturatedValues {
            let value = DeviceValue(service: service, id)
            if !saturatedValues.contains(where: { $0.value == value }) {
                saturatedValues.append(SaturatedValue(value: value, wanted: wanted))
            }
        }
        context.saturatedValues.removeAll(keepingCapacity: true)
    }

    // MARK: Scripts

    /// Begins anew, as after a loss of power: what the sensors count is zero, their curves begin, and values that a script
    /// has set are those of the definition. Only the wall clock goes on.
    package mutating func restart(at now: Instant) {
        let time = clock.time(at: now)
        for subscription in subscriptions { didUnsubscribe(from: subscription.handle, at: now) }
        let (wall, mtu) = (WallClock(begins: context.clock.seconds(at: context.clock.sensorTime(at: time))), mtu)
        clock.restart(at: now)
        (sensors, context) = Self.sensors(for: definition, clock: wall, seed: seed)
        (context.mtu, bursts) = (mtu, [])
    }

    /// Sets a value, or restores the original one when `input` is nil; false when the value cannot be set so.
    ///
    /// The time of a signal counts from `begun`, or from now when that is nil.
    package mutating func set(
        _ value: DeviceValue, to input: SensorInput?, at now: Instant, begun: Instant? = nil
    ) -> Bool {
        guard place(of: value) != nil else { return false }
        let (now, begun) = (clock.time(at: now), begun.map(clock.time))
        return sensors[value.service].set(value.id, to: input, at: now, begun: begun, context: &context)
    }

    /// Notifies a value at `rate` in Hz, counted from `begun`; nil: by its sensor's schedule.
    ///
    /// The next indication waits for the confirmation of the last.
    package mutating func burst(_ value: DeviceValue, rate: Double?, begun: Instant, at now: Instant) {
        guard let place = place(of: value), !place.sent.isEmpty else { return }
        let (now, begun) = (clock.time(at: now), clock.time(at: begun))
        bursts.removeAll { $0.value == place.value }
        if let rate, rate > 0 {
            bursts.append(Burst(place.value, rate: rate, from: begun, at: now))
        } else {
            sensors[place.value.service].reschedule(place.value.id, after: now)
        }
    }

    /// Changes the speed of the sensors' clock by -1000 to 1000 parts per million from now on.
    package mutating func drift(by partsPerMillion: Double, at now: Instant) {
        clock.drift(by: partsPerMillion, from: now)
    }

    /// The present number in the value's unit (a contact is 0 or 1); nil when it has none.
    package func number(of value: DeviceValue, at now: Instant) -> Double? {
        guard place(of: value) != nil else { return nil }
        return sensors[value.service].number(of: value.id, at: clock.time(at: now), context: context)
    }

    /// The encoding of a value that depends on this input only; nil when it has none.
    package func octets(of value: DeviceValue, for input: SensorInput) -> [UInt8]? {
        guard place(of: value) != nil else { return nil }
        return sensors[value.service].octets(of: value.id, for: input)
    }

    /// Removes or attaches an electrode; false when the service has none.
    package mutating func setLead(ofService service: Int, isOff: Bool, at now: Instant) -> Bool {
        guard sensors.indices.contains(service) else { return false }
        return sensors[service].setLead(isOff: isOff, at: clock.time(at: now))
    }

    /// Advances the wall clock.
    package mutating func skipTime(by duration: Duration, at now: Instant) {
        for index in sensors.indices {
            sensors[index].wallClockWillSkip(at: clock.time(at: now), context: &context)
        }
        context.clock.skip(by: duration)
    }

    /// Whether the wall clock has reached its end.
    package func clockHasStopped(at now: Instant) -> Bool { context.clock.hasStopped(at: now) }
}
