public import Basics

/// The radio medium: the positions of stations, and how each receives the others.
///
/// Stations are on a line, clients at 0 and devices at their distance.  The contents of frames do not matter, and
/// frames do not collide.  Losses are random, and equal in every run with the same seed.
public struct Medium: Sendable {
    /// A radio with an antenna.
    public struct Station: Hashable, Sendable {
        /// Its position over time.
        public var trajectory: Trajectory
        /// Its transmit power, in dBm.
        public var power: Int8
        /// False: it neither sends nor receives.
        public var isPresent = true
        /// A fixed signal strength in both directions, in dBm; nil: computed from the distance.
        public var strength: Int8?
        /// Whether the receivers of its signal, and it itself, do not know the strength: they report an RSSI of 127.
        public var hidesStrength = false
        /// The probability, times 2³², that a packet from or to it is lost, in addition to the loss of its distance.
        public var loss: UInt32 = 0

        /// A present station at a fixed position, in millimetres.
        public init(millimetres: Int = 0, power: Int8 = 0) {
            (trajectory, self.power) = (Trajectory(at: millimetres), power)
        }

        /// The strength of its signal at position 0, in dBm, without fading.
        public func strength(at now: Instant) -> Int {
            strength.map(Int.init)
                ?? PathLoss.strength(power: power, millimetres: abs(trajectory.millimetres(at: now)))
        }
    }

    /// The stations by number, which never changes.
    private(set) var stations: [Station] = []
    private let chance: UInt64

    /// Without stations; fading and losses are drawn from `seed`.
    init(seed: RandomStream) {
        var seed = seed
        chance = seed.next()
    }

    /// Adds a station.
    ///
    /// - Returns: Its number.
    mutating func add(_ station: Station) -> Int {
        stations.append(station)
        return stations.count - 1
    }

    /// Changes the position, power, presence, strength or loss of a station.
    mutating func change(_ number: Int, _ change: (inout Station) -> Void) {
        guard stations.indices.contains(number) else { return }
        change(&stations[number])
    }

    /// Whether both stations exist and are present, at any distance.
    func arePresent(_ sender: Int, _ receiver: Int) -> Bool {
        stations.indices.contains(sender) && stations.indices.contains(receiver) && stations[sender].isPresent
            && stations[receiver].isPresent
    }

    /// How `receiver` receives `sender` now.
    func reception(from sender: Int, to receiver: Int, at now: Instant) -> Reception {
        guard arePresent(sender, receiver) else { return .none }
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
        if own.hidesStrength || other.hidesStrength { reception.hideStrength() }
        return reception
    }

    /// How `receiver` receives a packet of `sender` that ends now; nil: the packet is lost.
    func receives(from sender: Int, to receiver: Int, at now: Instant) -> Reception? {
        let reception = reception(from: sender, to: receiver, at: now)
        guard reception.loss > 0 else { return reception }
        var draw = stream(UInt64(sender) << 32 | UInt64(receiver), UInt64(bitPattern: now.nanoseconds))
        return reception.loss < .max && UInt32(truncatingIfNeeded: draw.next() >> 32) >= reception.loss
            ? reception : nil
    }

    /// The instant until which the loss between two stations stays the same; `.never`: until one of them is changed.
    func steadyTime(_ one: Int, _ other: Int, from now: Instant) -> Instant {
        guard arePresent(one, other), stations[one].strength == nil, stations[other].strength == nil else {
            return .never
        }
        let isMoving = stations[one].trajectory.isMoving(at: now) || stations[other].trajectory.isMoving(at: now)
        let means = [meanStrength(from: one, to: other, at: now), meanStrength(from: other, to: one, at: now)]
        let isClear = means.allSatisfy { Reception(strength: $0 - Fading.deepest).loss == 0 }
        let isDeaf = means.allSatisfy { Reception(strength: $0 + Fading.deepest).loss == .max }
        guard isMoving || !isClear && !isDeaf else { return .never }
        return Fading.next(after: now)
    }

    private func meanStrength(from sender: Int, to receiver: Int, at now: Instant) -> Int {
        let (from, to) = (stations[sender], stations[receiver])
        let distance = from.trajectory.millimetres(at: now) - to.trajectory.millimetres(at: now)
        return PathLoss.strength(power: from.power, millimetres: abs(distance))
    }

    private func fading(_ one: Int, _ other: Int, at now: Instant) -> Int {
        var draw = stream(UInt64(min(one, other)) << 32 | UInt64(max(one, other)), Fading.block(of: now))
        return Fading.depth(&draw)
    }

    /// The random stream of a pair at an instant, independent of other draws.
    private func stream(_ pair: UInt64, _ time: UInt64) -> RandomStream {
        RandomStream(seed: chance ^ (pair &* 0x9E37_79B9_7F4A_7C15) ^ (time &* 0xD1B5_4A32_D192_ED03))
    }
}
