public import Simulation

/// The medium between stations: who stands where, how strong each hears the other, and whether at all.
///
/// Stations stand or move on a line, a client at 0 and a device at its distance.  The air knows octets only as what takes
/// time: frames do not collide.  What gets lost does by chance, and the same in every run with the same seed.
public struct Medium: Sendable {
    /// Somebody with an antenna.
    public struct Station: Hashable, Sendable {
        /// Where it stands, and where it goes.
        public var way: Way
        /// What it sends with, in dBm.
        public var power: Int8
        /// False: it neither sends nor hears.
        public var isPresent = true
        /// How strong it is heard and hears, in dBm, wherever it stands; nil: as its distance has it.
        public var strength: Int8?
        /// How many of 2³² packets from and to it get lost, beside those that its distance costs.
        public var loss: UInt32 = 0

        /// A station that is there, so many millimetres from the client.
        public init(millimetres: Int = 0, power: Int8 = 0) { (way, self.power) = (Way(at: millimetres), power) }
    }

    /// By number; the number of a station never changes.
    public private(set) var stations: [Station] = []
    private let chance: UInt64

    /// Without stations; fading and what gets lost come from `seed`.
    public init(seed: RandomStream) {
        var seed = seed
        chance = seed.next()
    }

    /// The number of the new station.
    public mutating func add(_ station: Station) -> Int {
        stations.append(station)
        return stations.count - 1
    }

    /// Moves, strengthens, removes or brings back a station.
    public mutating func change(_ number: Int, _ change: (inout Station) -> Void) {
        guard stations.indices.contains(number) else { return }
        change(&stations[number])
    }

    /// Whether two stations are there, however far from each other.
    public func connects(_ sender: Int, _ receiver: Int) -> Bool {
        stations.indices.contains(sender) && stations.indices.contains(receiver) && stations[sender].isPresent
            && stations[receiver].isPresent
    }

    /// How `receiver` hears `sender` now.
    public func reception(from sender: Int, to receiver: Int, at now: Instant) -> Reception {
        guard connects(sender, receiver) else { return .none }
        let (own, other) = (stations[receiver], stations[sender])
        let strength =
            switch (own.strength, other.strength) {
            case (let one?, let two?): Int(min(one, two))
            case (let one?, nil), (nil, let one?): Int(one)
            case (nil, nil): meanStrength(from: sender, to: receiver, at: now) + fading(sender, receiver, at: now)
            }
        var reception = Reception(strength: strength)
        reception.lose(own.loss)
        reception.lose(other.loss)
        return reception
    }

    /// How `receiver` hears this one packet of `sender`, whose end it hears now; nil: it is lost.
    public func hears(from sender: Int, to receiver: Int, at now: Instant) -> Reception? {
        let reception = reception(from: sender, to: receiver, at: now)
        guard reception.loss > 0 else { return reception }
        var draw = stream(UInt64(sender) << 32 | UInt64(receiver), UInt64(bitPattern: now.nanoseconds))
        return reception.loss < .max && UInt32(truncatingIfNeeded: draw.next() >> 32) >= reception.loss
            ? reception : nil
    }

    /// Until when as many packets get lost between two stations as now; `.never` when nothing but a change of them changes it.
    public func steadyTime(_ one: Int, _ other: Int, from now: Instant) -> Instant {
        guard connects(one, other), stations[one].strength == nil, stations[other].strength == nil else {
            return .never
        }
        let isMoving = stations[one].way.isMoving(at: now) || stations[other].way.isMoving(at: now)
        let means = [meanStrength(from: one, to: other, at: now), meanStrength(from: other, to: one, at: now)]
        let isClear = means.allSatisfy { Reception(strength: $0 - Fading.deepest).loss == 0 }
        let isDeaf = means.allSatisfy { Reception(strength: $0 + Fading.deepest).loss == .max }
        guard isMoving || !isClear && !isDeaf else { return .never }
        return Fading.next(after: now)
    }

    private func meanStrength(from sender: Int, to receiver: Int, at now: Instant) -> Int {
        let (from, to) = (stations[sender], stations[receiver])
        let distance = from.way.millimetres(at: now) - to.way.millimetres(at: now)
        return PathLoss.strength(power: from.power, millimetres: abs(distance))
    }

    private func fading(_ one: Int, _ other: Int, at now: Instant) -> Int {
        var draw = stream(UInt64(min(one, other)) << 32 | UInt64(max(one, other)), Fading.block(of: now))
        return Fading.depth(&draw)
    }

    /// Chance of a pair and an instant, whatever was drawn before.
    private func stream(_ pair: UInt64, _ time: UInt64) -> RandomStream {
        RandomStream(seed: chance ^ (pair &* 0x9E37_79B9_7F4A_7C15) ^ (time &* 0xD1B5_4A32_D192_ED03))
    }
}
