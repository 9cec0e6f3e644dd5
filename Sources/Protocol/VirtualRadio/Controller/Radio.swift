import Basics
import Bluetooth
import HCI

/// The link layers of all stations in one air: advertisers, scanners, initiators and links.
///
/// Advertising events that no station can receive are skipped, as are the empty events of an idle link.  Frames take
/// time on the air, but they do not collide.
public struct Radio: Sendable {
    /// An event of the radio at a later instant.
    public enum Timer: BitwiseCopyable, Hashable, Sendable {
        /// An advertising event begins.
        case advertising(station: Int, generation: UInt32)
        /// An advertising packet of `station` ends at a listener.
        case received(station: Int, generation: UInt32, listener: Int)
        /// A scan response of `station` ends at a scanner.
        case answered(station: Int, generation: UInt32, scanner: Int)
        /// A CONNECT_IND ends at the advertising `station`.
        case connecting(station: Int, generation: UInt32, initiator: Int, attempt: UInt32)
        /// A link requested `timePassed`.
        case link(slot: Int, generation: UInt32)
        /// A link requested `supervise`.
        case supervision(slot: Int, generation: UInt32, LinkEnd)
        /// The maximum time for the answer to a control PDU may have passed at this end of a link.
        case response(slot: Int, generation: UInt32, LinkEnd)
        /// Directed advertising at high duty cycle reaches its maximum duration.
        case advertisingTimeout(station: Int, generation: UInt32)
        /// The loss of a link changes.
        case air(slot: Int, generation: UInt32)
        /// The private addresses of a station become too old.
        case privateAddress(station: Int)
    }

    /// One end of a link.
    struct Connection: Hashable, Sendable {
        let slot: Int
        let generation: UInt32
        /// The end of this station.
        let end: LinkEnd
    }

    /// What the radio reports to a station.
    enum Indication: Sendable {
        /// It has received an advertising packet, or with `isResponse` a scan response, of a station.
        case received(station: Int, isResponse: Bool, rssi: Int8)
        /// Its directed advertising at high duty cycle has ended without a connection.
        case advertisingTimedOut
        /// It has a link; the addresses are those of CONNECT_IND.
        case connected(Connection, own: DeviceAddress, peer: DeviceAddress, ConnectionTiming)
        /// An output of one of its links.
        case link(Connection, Link.Output)
        /// The instant of `awaitResponse` has come.
        case responseDue(Connection)
        /// The instant of the timer `privateAddress` has come.
        case privateAddressDue
    }

    /// The outputs for the caller, mostly timers, and the indications for the controllers.
    struct Outbox: Sendable {
        var outputs: [Airspace.Output] = []
        var indications = OutputQueue<(station: Int, Indication)>()

        /// Requests `timePassed` with this timer.
        mutating func wake(_ timer: Timer, at due: Instant) { outputs.append(.wake(timer, at: due)) }

        /// Sends an indication to a station.
        mutating func indicate(station: Int, _ indication: Indication) {
            indications.added.append((station, indication))
        }
    }

    /// The times of a station; without references, since each advertising event reads those of many.
    struct Station: Sendable {
        var advertiser: Advertiser?
        var payload = 0  // of its advertising, in octets
        var generation: UInt32 = 0  // of the advertising; timers of older ones are ignored
        var isParked = false  // no station scans or initiates
        var hasLeft = false  // its number is free after its links are over
        var listener: Listener?
        var attempts: UInt32 = 0
    }

    /// The contents of what a station sends, and how it responds to others.
    struct Activities: Sendable {
        var advertisement: Advertisement?
        var scan: Scan?
        var initiation: Initiation?

        /// When it receives advertising; nil: it neither scans nor initiates.
        var listener: Listener? { initiation?.listener ?? scan?.listener }
    }

    struct LinkSlot: Sendable {
        var link: Link
        var isTaken: Bool  // false: the link is over
        var generation: UInt32
        var central: Int
        var peripheral: Int
        var steadyUntil = Instant.never  // the loss is constant until then
    }

    /// The positions of the stations.
    private(set) var air: Medium
    private(set) var stations: [Station] = []
    private var activities: [Activities] = []  // of each station
    private var listeners: [Int] = []  // the stations that scan or initiate, in their order
    var links: [LinkSlot] = []
    var freeLinks: [Int] = []
    var linkOutbox = OutputQueue<Link.Output>()
    let seed: RandomStream
    let sleeps: Bool

    /// Draws random numbers from `seed`; `sleeps: false` simulates every connection event, for tests.
    init(seed: RandomStream, sleeps: Bool = true) {
        (self.seed, self.sleeps) = (seed, sleeps)
        air = Medium(seed: seed.stream("air"))
    }

    /// Adds a station, and returns its number: that of a station that has left, if no link refers to it.
    mutating func add(_ place: Medium.Station) -> Int {
        guard let number = stations.indices.first(where: { stations[$0].hasLeft && !isLinked($0) }) else {
            stations.append(Station())
            activities.append(Activities())
            return air.add(place)
        }
        stations[number].hasLeft = false
        air.change(number) { $0 = place }
        return number
    }

    /// Removes a station that neither advertises, scans, initiates nor has links.
    mutating func remove(_ station: Int) {
        guard stations.indices.contains(station) else { return }
        stations[station].hasLeft = true
        air.change(station) { $0.isPresent = false }
    }

    /// Changes the position, power, presence, strength or loss of a station.
    mutating func change(
        _ station: Int, at now: Instant, into outbox: inout Outbox, _ change: (inout Medium.Station) -> Void
    ) {
        air.change(station, change)
        for slot in links.indices where links[slot].isTaken && links[slot].joins(station) {
            updateLoss(of: slot, at: now, into: &outbox)
        }
        if !listeners.isEmpty { unparkAll(at: now, into: &outbox) }
    }

    private func isLinked(_ station: Int) -> Bool {
        links.contains { $0.isTaken && $0.joins(station) }
    }

    /// Adds a station to the listeners or removes it.
    private mutating func updateListening(_ station: Int) {
        stations[station].listener = activities[station].listener
        let isListening = stations[station].listener != nil
        let place = listeners.firstIndex { $0 >= station } ?? listeners.count
        let isKnown = place < listeners.count && listeners[place] == station
        guard isListening != isKnown else { return }
        if isListening { listeners.insert(station, at: place) } else { listeners.remove(at: place) }
    }

    // MARK: What stations do

    /// Starts to advertise, or restarts with other contents.
    mutating func advertise(
        _ advertisement: Advertisement, _ schedule: Advertiser.Schedule, from station: Int, at now: Instant,
        into outbox: inout Outbox
    ) {
        let delays = seed.stream("advertising delay \(advertisement.address) \(stations[station].generation)")
        activities[station].advertisement = advertisement
        stations[station].payload = advertisement.payload
        stations[station].generation &+= 1
        stations[station].advertiser = Advertiser(schedule, from: now, delays: delays)
        stations[station].isParked = true
        if schedule == .highDutyCycle {
            let timer = Timer.advertisingTimeout(station: station, generation: stations[station].generation)
            outbox.wake(timer, at: now.advanced(byNanoseconds: AirTime.highDutyTimeout))
        }
        if !listeners.isEmpty { unpark(station, at: now, into: &outbox) }
    }

    /// Changes the contents of advertising, but not its timing.
    mutating func changeAdvertisement(of station: Int, _ change: (inout Advertisement) -> Void) {
        guard var advertisement = activities[station].advertisement else { return }
        change(&advertisement)
        activities[station].advertisement = advertisement
        stations[station].payload = advertisement.payload
    }

    mutating func stopAdvertising(_ station: Int) {
        (activities[station].advertisement, stations[station].advertiser) = (nil, nil)
        stations[station].generation &+= 1
    }

    mutating func scan(_ scan: Scan?, from station: Int, at now: Instant, into outbox: inout Outbox) {
        activities[station].scan = scan
        updateListening(station)
        if scan != nil { unparkAll(at: now, into: &outbox) }
    }

    mutating func initiate(_ initiation: Initiation?, from station: Int, at now: Instant, into outbox: inout Outbox) {
        activities[station].initiation = initiation
        updateListening(station)
        guard initiation != nil else { return }
        let attempt = stations[station].attempts &+ 1
        stations[station].attempts = attempt
        activities[station].initiation?.attempt = attempt
        unparkAll(at: now, into: &outbox)
    }

    /// Replaces the private addresses with which a station scans and initiates.
    mutating func changeAddresses(of station: Int, to resolving: ResolvingList) {
        activities[station].scan?.own.resolving = resolving
        activities[station].initiation?.own.resolving = resolving
    }

    // MARK: Time

    /// Handles a timer at its instant.
    mutating func timePassed(
        _ timer: Timer, at now: Instant, pool: inout PacketPool, into outbox: inout Outbox
    ) {
        switch timer {
        case .advertising(let station, let generation): advertisingEvent(station, generation, into: &outbox)
        case .received(let station, let generation, let listener):
            advertisingReceived(station, generation, by: listener, at: now, into: &outbox)
        case .answered(let station, let generation, let scanner):
            guard isAdvertising(station, generation), activities[scanner].scan != nil,
                air.receives(from: scanner, to: station, at: now) != nil,
                let reception = air.receives(from: station, to: scanner, at: now)
            else { return }
            indicate(isResponse: true, from: station, to: scanner, reception, into: &outbox)
        case .connecting(let station, let generation, let initiator, let attempt):
            guard let advertisement = current(station, generation), let initiation = activities[initiator].initiation,
                initiation.attempt == attempt
            else { return }
            connect(advertisement, of: station, initiation, of: initiator, at: now, pool: &pool, into: &outbox)
        case .link(let slot, let generation):
            guard isCurrent(slot, generation) else { return }
            links[slot].link.timePassed(at: now, pool: &pool, into: &linkOutbox.added)
            passOn(slot, into: &outbox)
        case .advertisingTimeout(let station, let generation):
            guard isAdvertising(station, generation) else { return }
            stopAdvertising(station)
            outbox.indicate(station: station, .advertisingTimedOut)
        case .supervision(let slot, let generation, let end):
            guard isCurrent(slot, generation) else { return }
            links[slot].link.supervise(end, at: now, pool: &pool, into: &linkOutbox.added)
            passOn(slot, into: &outbox)
        case .response(let slot, let generation, let end):
            guard isCurrent(slot, generation) else { return }
            let connection = Connection(slot: slot, generation: generation, end: end)
            outbox.indicate(station: station(at: end, of: slot), .responseDue(connection))
        case .air(let slot, let generation):
            guard isCurrent(slot, generation), links[slot].steadyUntil == now else { return }
            updateLoss(of: slot, at: now, into: &outbox)
        case .privateAddress(let station): outbox.indicate(station: station, .privateAddressDue)
        }
    }

    // MARK: Advertising

    /// The address with which a station advertises; nil: it does not.
    func advertisingAddress(of station: Int) -> DeviceAddress? { activities[station].advertisement?.address }

    /// What a scanner receives of an advertiser; a copy of the whole advertisement would retain all its lists.
    func advertisingPacket(of station: Int, isResponse: Bool) -> (kind: Advertisement.Kind, data: [UInt8])? {
        guard let kind = activities[station].advertisement?.kind,
            let data = isResponse
                ? activities[station].advertisement?.scanResponse : activities[station].advertisement?.dataOnAir
        else { return nil }
        return (kind, data)
    }

    private func isAdvertising(_ station: Int, _ generation: UInt32) -> Bool {
        stations[station].generation == generation && stations[station].advertiser != nil
    }

    private func current(_ station: Int, _ generation: UInt32) -> Advertisement? {
        isAdvertising(station, generation) ? activities[station].advertisement : nil
    }

    private mutating func unparkAll(at now: Instant, into outbox: inout Outbox) {
        for station in stations.indices where stations[station].isParked { unpark(station, at: now, into: &outbox) }
    }

    private mutating func unpark(_ station: Int, at now: Instant, into outbox: inout Outbox) {
        stations[station].isParked = false
        stations[station].advertiser?.skip(to: now)
        guard let next = stations[station].advertiser?.next else { return }
        outbox.wake(.advertising(station: station, generation: stations[station].generation), at: next)
    }

    private mutating func advertisingEvent(_ station: Int, _ generation: UInt32, into outbox: inout Outbox) {
        guard stations[station].generation == generation, let start = stations[station].advertiser?.next else { return }
        let duration = AirTime.packet(payload: stations[station].payload)
        var isReceived = false
        for listener in listeners where listener != station && air.arePresent(station, listener) {
            guard let receiver = stations[listener].listener else { continue }
            isReceived = true
            for channel in 37...39 {
                let begin = start.advanced(byNanoseconds: Int64(channel - 37) * Advertiser.channelSpacing)
                guard receiver.receives(from: begin, nanoseconds: duration, channel: channel) else { continue }
                let timer = Timer.received(station: station, generation: generation, listener: listener)
                outbox.wake(timer, at: begin.advanced(byNanoseconds: duration))
                break
            }
        }
        stations[station].advertiser?.advance()
        guard isReceived, let next = stations[station].advertiser?.next else {
            stations[station].isParked = true
            return
        }
        outbox.wake(.advertising(station: station, generation: generation), at: next)
    }

    private mutating func advertisingReceived(
        _ station: Int, _ generation: UInt32, by listener: Int, at now: Instant, into outbox: inout Outbox
    ) {
        guard let address = advertisingAddress(of: station), isAdvertising(station, generation),
            let reception = air.receives(from: station, to: listener, at: now)
        else { return }
        if let initiation = activities[listener].initiation, let advertisement = activities[station].advertisement,
            initiation.address(toward: advertisement) != nil
        {
            let duration = AirTime.interFrameSpace + AirTime.packet(payload: AirTime.connectPayload)
            let timer = Timer.connecting(
                station: station, generation: generation, initiator: listener, attempt: initiation.attempt)
            outbox.wake(timer, at: now.advanced(byNanoseconds: duration))
        }
        guard let scan = activities[listener].scan, let peer = scan.own.resolving.sender(at: address) else { return }
        if let target = activities[station].advertisement?.target, !scan.own.isTarget(target, of: peer) { return }
        indicate(isResponse: false, from: station, to: listener, reception, into: &outbox)
        if scan.isActive, let advertisement = activities[station].advertisement,
            advertisement.answers(scan.own.address(toward: peer))
        {
            let request = AirTime.packet(payload: AirTime.scanRequestPayload)
            let response = AirTime.packet(
                payload: AirTime.advertisingPayload(data: advertisement.scanResponse.count))
            let timer = Timer.answered(station: station, generation: generation, scanner: listener)
            outbox.wake(timer, at: now.advanced(byNanoseconds: 2 * AirTime.interFrameSpace + request + response))
        }
    }

    private func indicate(
        isResponse: Bool, from station: Int, to listener: Int, _ reception: Reception, into outbox: inout Outbox
    ) {
        outbox.indicate(
            station: listener, .received(station: station, isResponse: isResponse, rssi: reception.rssi))
    }

    /// Ends connecting.
    mutating func endInitiation(of station: Int) {
        activities[station].initiation = nil
        updateListening(station)
    }
}
