import Basics
import Devices
import Testing

@Suite struct ECGSensorTests {
    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A drawing, and the beats it was given.
    private static func sitting(
        _ rate: Double, seconds: Int, ecg: ECG, variability: Heart.Variability = .resting
    ) -> (samples: [Int16], beats: [Int64]) {
        var (heart, ecg) = (Heart(rate: Signal(rate), seed: 5, variability: variability), ecg)
        var (samples, portion): ([Int16], [Int16]) = ([], [])
        var beats: [Int64] = []
        for tenth in 1...(seconds * 10) {
            let now = at(Double(tenth) / 10)
            heart.beats(until: now) { beat in
                beats.append(beat.nanoseconds)
                ecg.add(beat)
            }
            _ = ecg.draw(Int64(samples.count)..<ecg.settled(at: now), into: &portion)
            samples += portion
            ecg.forget(before: ecg.clock.instant(of: Int64(samples.count)))
        }
        return (samples, beats)
    }

    /// Where, within 100 ms before and after each beat that is far enough from the ends, the highest sample is.
    private static func peaks(_ samples: [Int16], _ beats: [Int64], _ clock: SampleClock, within: Int64) -> [Int64] {
        beats.compactMap { beat in
            let first = Int(clock.count(until: Instant(nanoseconds: beat - within)))
            let end = Int(clock.count(until: Instant(nanoseconds: beat + within)))
            guard first > 0, end < samples.count else { return nil }
            return samples[first..<end].indices.max { samples[$0] < samples[$1] }
                .map { clock.instant(of: Int64($0)).nanoseconds - beat }
        }
    }

    // MARK: Beats

    @Test(arguments: [(30, 500), (72, 500), (72, 130), (140, 500), (200, 500), (300, 500), (350, 1000)])
    func `R waves are at the beats, and nothing else is as high`(rate: Int, hertz: Int) {
        let ecg = ECG(SampleClock(hertz: hertz), amplitude: 20_000, noise: .none)
        let (samples, beats) = Self.sitting(Double(rate), seconds: 60, ecg: ecg)
        let peaks = Self.peaks(samples, beats, ecg.clock, within: rate < 300 ? 90_000_000 : 60_000_000)
        #expect(abs(peaks.count - rate) <= 4)
        // half a sample, and 0.2 ms for what the other waves pull on the top of R
        let most = 500_000_000 / Int64(hertz) + 200_000
        #expect(peaks.allSatisfy { $0.magnitude <= most })
        let high = samples.indices.dropFirst().dropLast()
            .filter { samples[$0] > 12_000 && samples[$0] > samples[$0 - 1] && samples[$0] >= samples[$0 + 1] }
        #expect(abs(high.count - peaks.count) <= 2)
    }

    @Test func `R waves are visible in noise`() {
        let ecg = ECG(noise: ECG.Noise(wander: 200, mains: .init(hertz: 50), muscle: 10), seed: 3)
        let (samples, beats) = Self.sitting(72, seconds: 120, ecg: ecg)
        let peaks = Self.peaks(samples, beats, ecg.clock, within: 90_000_000)
        #expect(peaks.count > 140)
        #expect(peaks.allSatisfy { $0.magnitude <= 8_000_000 })
        let mean = peaks.reduce(0) { $0 + Double($1) } / Double(peaks.count)
        #expect(mean.magnitude < 1_000_000)
    }

    @Test func `The waves of a beat have textbook positions and heights`() throws {
        var ecg = ECG(noise: .none)
        for second in 1...5 { ecg.add(Self.at(Double(second))) }
        var samples: [Int16] = []
        #expect(ecg.draw(1500..<2001, into: &samples) == .good)
        func extreme(_ range: Range<Int>, _ isLess: (Int16, Int16) -> Bool) throws -> (ms: Int, µV: Int16) {
            let place = try #require(samples[range].indices.max { isLess(samples[$0], samples[$1]) })
            return (2 * (place - 250), samples[place])  // the beat at 3.5 s is none: 250 is 500 ms behind one
        }
        // beats at sample 0 and 500 of this window, and at 250 nothing
        let t = try extreme(60..<250, <)
        #expect((t.ms + 500 - 278).magnitude <= 4 && 350...420 ~= t.µV)
        let p = try extreme(300..<460, <)
        #expect((p.ms - 500 + 194).magnitude <= 4 && 200...300 ~= p.µV)
        let q = try extreme(470..<500, >)
        #expect(-50 ... -20 ~= q.ms - 500 && -180 ... -80 ~= q.µV)
        let s = try extreme(0..<40, >)
        #expect(20...50 ~= s.ms + 500 && -260 ... -120 ~= s.µV)
        #expect(samples[0] >= 970 && samples[500] >= 970)
        #expect(samples[250].magnitude < 25)  // between T and P
    }

    @Test func `No beats give a flat line, and too fast ones are limited`() {
        let none = Self.sitting(0, seconds: 10, ecg: ECG(noise: .none))
        #expect(none.samples.count == 4751 && none.samples.allSatisfy { $0 == 0 })
        let fast = Self.sitting(65535, seconds: 10, ecg: ECG(noise: .none), variability: .none)
        #expect(fast.beats.count > 10_000)
        #expect(fast.samples.max() ?? 0 > 500)
    }

    // MARK: Windows

    @Test func `Windows fit together in any order and portions`() {
        let ecg = ECG(SampleClock(hertz: 500, partsPerMillion: 37), noise: .resting, seed: 9)
        var whole = ecg
        var heart = Heart(rate: Signal(.walk(start: 80, by: 9, period: .seconds(1), range: 50...180)), seed: 9)
        heart.beats(until: Self.at(20)) { whole.add($0) }
        var all: [Int16] = []
        _ = whole.draw(0..<9000, into: &all)
        var portion: [Int16] = []
        var chance = RandomStream(seed: 1)
        for _ in 0..<500 {
            let first = Int64(chance.below(9000))
            let end = first + Int64(chance.below(UInt64(9001 - first)))
            _ = whole.draw(first..<end, into: &portion)
            #expect(portion == Array(all[Int(first)..<Int(end)]))
        }
    }

    @Test func `Samples drawn live equal those drawn later`() {
        let ecg = ECG(noise: .resting, seed: 2)
        let (samples, beats) = Self.sitting(72, seconds: 60, ecg: ecg)
        var later = ecg
        for beat in beats { later.add(Instant(nanoseconds: beat)) }
        var all: [Int16] = []
        _ = later.draw(0..<Int64(samples.count), into: &all)
        #expect(all == samples)
        #expect(samples.count == 29751)  // 59.5 s, and the one at 0
    }

    @Test func `The same samples on every machine`() {
        let noise = ECG.Noise(wander: 150, mains: .init(hertz: 60), muscle: 12)
        let (samples, _) = Self.sitting(66, seconds: 60, ecg: ECG(noise: noise, seed: 7))
        let digest = samples.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64(UInt16(bitPattern: $1))) &* 0x100_0000_01B3
        }
        #expect(digest == 4_713_374_156_426_123_576)
        let (others, _) = Self.sitting(66, seconds: 60, ecg: ECG(noise: noise, seed: 8))
        #expect(others != samples)
    }

    @Test func `A window before the start or after the end of time is empty`() {
        var ecg = ECG()
        var samples: [Int16] = [1]
        _ = ecg.draw(-1..<5, into: &samples)
        #expect(samples == [])
        _ = ecg.draw((.max - 1)..<Int64.max, into: &samples)
        #expect(samples == [])
        #expect(ecg.settled(at: Self.at(0.4)) == 0)
        #expect(ecg.settled(at: Self.at(0.5)) == 1)
    }

    // MARK: Quality

    @Test func `Without a lead all samples are 0 and flagged`() {
        var ecg = ECG(noise: ECG.Noise(mains: .init(hertz: 60, microvolts: 900)))
        ecg.setLead(isOff: true, at: Self.at(2))
        ecg.setLead(isOff: false, at: Self.at(3))
        var samples: [Int16] = []
        #expect(ecg.draw(0..<1000, into: &samples) == .good)
        #expect(ecg.draw(990..<1600, into: &samples).isLeadOff)
        let (before, off, after) = (samples[..<10], samples[10..<510], samples[510...])
        #expect(off.allSatisfy { $0 == 0 })
        #expect(before.count { $0 != 0 } > 7 && after.count { $0 != 0 } > 80)
        #expect(ecg.draw(1500..<1600, into: &samples) == .good)
        ecg.setLead(isOff: true, at: Self.at(4))
        ecg.forget(before: Self.at(4))
        #expect(ecg.draw(1000..<1500, into: &samples) == .good)
        #expect(ecg.draw(5_000_000..<5_000_010, into: &samples).isLeadOff)
    }

    @Test(arguments: [(10_000_000, .max, 32767), (2000, 1500, 1500), (.infinity, 1, 1)] as [(Double, Int16, Int16)])
    func `Samples out of range are clamped and flagged`(amplitude: Double, range: Int16, most: Int16) {
        var ecg = ECG(amplitude: amplitude, range: range, noise: .none)
        ecg.add(Self.at(1))
        var samples: [Int16] = []
        #expect(ecg.draw(0..<1000, into: &samples).isSaturated)
        #expect(samples.max() == most)
        #expect((samples.min() ?? 0) >= -most)
        #expect(ecg.draw(5000..<5100, into: &samples) == .good)
    }

    // MARK: Noise

    /// The amplitude of a frequency in 20 s of samples without a heart.
    private static func amplitude(_ hertz: Int, _ noise: ECG.Noise) -> Double {
        var ecg = ECG(noise: noise, seed: 4)
        var samples: [Int16] = []
        _ = ecg.draw(0..<10_000, into: &samples)
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let turns = Double(index * hertz % 500) / 500
            real += Double(sample) * Signal.sine(turns + 0.25)
            imaginary += Double(sample) * Signal.sine(turns)
        }
        return (real * real + imaginary * imaginary).squareRoot() / 5000
    }

    @Test(arguments: [50, 60])
    func `Mains hum at their frequency and its third harmonic`(hertz: Int) {
        let noise = ECG.Noise(mains: .init(hertz: hertz, microvolts: 100))
        #expect((Self.amplitude(hertz, noise) - 100).magnitude < 1)
        #expect((Self.amplitude(3 * hertz, noise) - 20).magnitude < 1)
        for other in [5, 40, 55, 110, 200] { #expect(Self.amplitude(other, noise) < 1) }
    }

    @Test func `Muscle noise has its root mean square and no low frequencies`() {
        var ecg = ECG(noise: ECG.Noise(muscle: 30), seed: 4)
        var samples: [Int16] = []
        _ = ecg.draw(0..<100_000, into: &samples)
        let square = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / 100_000
        #expect(29...31 ~= square.squareRoot())
        #expect(samples.reduce(0) { $0 + Int($1) }.magnitude < 1000)
        let within = samples.count { $0.magnitude <= 30 }
        #expect(67_000...71_000 ~= within)  // a normal distribution has 69 % up to 30.5
        let slow = stride(from: 0, to: 100_000, by: 50).map { start in
            samples[start..<start + 50].reduce(0) { $0 + Double($1) } / 50
        }
        #expect(slow.allSatisfy { $0.magnitude < 6 })
    }

    @Test func `The base line wanders slowly, within its bounds`() throws {
        var ecg = ECG(noise: ECG.Noise(wander: 300), seed: 4)
        var samples: [Int16] = []
        _ = ecg.draw(0..<100_000, into: &samples)
        let (least, most) = try (#require(samples.min()), #require(samples.max()))
        #expect(-300 ... -150 ~= least && 150...300 ~= most)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { ($0 - $1).magnitude <= 2 })
    }
}

extension Signal {
    /// The sine of a number of turns.
    fileprivate static func sine(_ turns: Double) -> Double {
        var signal = Signal(.sine(mean: 0, amplitude: 1, period: .nanoseconds(1_000_000_000)))
        return signal.value(atNanoseconds: Int64((turns * 1e9).rounded())) ?? 0
    }
}
