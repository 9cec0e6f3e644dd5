import Basics

/// The noise of an electrocardiogram as a function of time, sample number and seed.
struct ECGNoise: Sendable {
    private let strength: ECG.Noise
    private let tables = WaveTables.shared
    private let wander: UInt64  // the seeds of two random streams
    private let muscle: UInt64

    init(_ strength: ECG.Noise, seed: UInt64) {
        self.strength = strength
        var chance = RandomStream(seed: seed).stream("ecg noise")
        (wander, muscle) = (chance.next(), chance.next())
    }

    /// Adds noise to `sums`, which has one element for each of `indices`.
    func add(to sums: inout [Double], _ indices: Range<Int64>, _ clock: SampleClock) {
        if strength.wander > 0 { addWander(to: &sums, indices, clock) }
        if let mains = strength.mains, mains.microvolts > 0 { addMains(mains, to: &sums, indices, clock) }
        if strength.muscle > 0 { addMuscle(to: &sums, indices) }
    }

    /// One half is respiration, 15 per minute, as in the heart; the other a smooth line through a random point every 3
    /// s.
    private func addWander(to sums: inout [Double], _ indices: Range<Int64>, _ clock: SampleClock) {
        let (breath, cell): (Int64, Int64) = (4_000_000_000, 3_000_000_000)
        var (number, left, right): (Int64, Double, Double) = (-1, 0, 0)
        var place = 0
        clock.forEach(in: indices) { time in
            if time / cell != number {
                number = time / cell
                (left, right) = (point(number), point(number + 1))
            }
            let part = Double(time % cell) / Double(cell)
            let slope = part * part * (3 - 2 * part)
            let breathing = tables.sine(turns: Double(time % breath) / Double(breath))
            sums[place] += strength.wander * (0.5 * breathing + 0.5 * (left + (right - left) * slope))
            place += 1
        }
    }

    /// A random point, -1 to 1.
    private func point(_ number: Int64) -> Double {
        Double(Self.draw(number, wander) >> 11) * 0x1p-52 - 1
    }

    /// The mains frequency, and its third harmonic with a fifth of the amplitude.
    private func addMains(
        _ mains: ECG.Noise.Mains, to sums: inout [Double], _ indices: Range<Int64>, _ clock: SampleClock
    ) {
        let (second, hertz): (Int64, Int64) = (1_000_000_000, Int64(mains.hertz))
        var place = 0
        clock.forEach(in: indices) { time in
            let phase = time % second * hertz % second
            let third = phase * 3 % second
            let sum =
                tables.sine(turns: Double(phase) / Double(second)) + 0.2
                * tables.sine(turns: Double(third) / Double(second))
            sums[place] += mains.microvolts * sum
            place += 1
        }
    }

    /// The difference of random values two samples apart: no energy at 0 Hz and at half the rate, most of it in
    /// between, like electromyograms.
    private func addMuscle(to sums: inout [Double], _ indices: Range<Int64>) {
        let deviation = 53_510.0  // of the difference of two sums of four 16-bit numbers
        let scale = strength.muscle / deviation
        var (older, old) = (white(indices.lowerBound - 2), white(indices.lowerBound - 1))
        for (place, index) in indices.enumerated() {
            let new = white(index)
            sums[place] += Double(new - older) * scale
            (older, old) = (old, new)
        }
    }

    /// The sum of four 16-bit numbers: nearly normally distributed.
    private func white(_ index: Int64) -> Int64 {
        let bits = Self.draw(index, muscle)
        return Int64(bits & 0xFFFF) + Int64(bits >> 16 & 0xFFFF) + Int64(bits >> 32 & 0xFFFF) + Int64(bits >> 48)
    }

    private static func draw(_ number: Int64, _ seed: UInt64) -> UInt64 {
        var stream = RandomStream(seed: seed &+ UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15)
        return stream.next()
    }
}
