import Basics
import Testing

@testable import VirtualRadio

@Suite struct AirTests {
    private static func air(_ stations: Medium.Station..., seed: UInt64 = 1) -> Medium {
        var air = Medium(seed: RandomStream(seed: seed))
        for station in stations { _ = air.add(station) }
        return air
    }

    private static func at(milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    /// The mean signal strength over 100 s.
    private static func mean(_ air: Medium) -> Double {
        let all = (0..<1000).map { Int(air.reception(from: 1, to: 0, at: at(milliseconds: $0 * 100)).rssi) }
        return Double(all.reduce(0, +)) / 1000
    }

    @Test(arguments: [(100, -10.0), (1000, -40), (2000, -49), (10_000, -70), (0, -10)])
    func `Twice the distance costs 9 dB, ten times 30`(millimetres: Int, dBm: Double) {
        #expect(abs(Self.mean(Self.air(.init(), .init(millimetres: millimetres))) - dBm) < 0.3)
    }

    @Test func `Fading is the same in both directions, lasts 100 ms, and is at most 8 dB`() {
        let air = Self.air(.init(), .init(millimetres: 1000))
        var seen: Set<Int8> = []
        for time in 0..<2000 as Range<Int64> {
            let now = Self.at(milliseconds: time * 50)
            let heard = air.reception(from: 1, to: 0, at: now)
            #expect(heard == air.reception(from: 0, to: 1, at: now))
            #expect(heard == air.reception(from: 1, to: 0, at: Self.at(milliseconds: time / 2 * 100)))
            seen.insert(heard.rssi)
        }
        #expect(seen.allSatisfy { (-48...(-32)).contains($0) })
        #expect(seen.count > 6)
        let same = Self.air(.init(), .init(millimetres: 1000))
        #expect(same.reception(from: 1, to: 0, at: .start) == air.reception(from: 1, to: 0, at: .start))
    }

    @Test func `An absent station neither sends nor receives`() {
        var air = Self.air(.init(), .init(millimetres: 1000))
        #expect(air.arePresent(0, 1))
        air.change(1) { $0.isPresent = false }
        #expect(!air.arePresent(0, 1))
        #expect(!air.arePresent(1, 0))
        #expect(!air.arePresent(0, 7))
        #expect(air.reception(from: 0, to: 1, at: .start) == .none)
        #expect(air.receives(from: 0, to: 1, at: .start) == nil)
        #expect(air.reception(from: 0, to: 7, at: .start) == .none)
    }

    @Test(
        "The loss follows from the strength",
        arguments: [(20, 0.0), (-85, 0), (-88, 0.15625), (-91, 0.5), (-94, 0.84375), (-97, 1), (-127, 1)])
    func loss(dBm: Int8, share: Double) {
        var air = Self.air(.init(), .init())
        air.change(1) { $0.strength = dBm }
        let reception = air.reception(from: 1, to: 0, at: .start)
        #expect(reception.rssi == dBm)
        #expect(abs(Double(reception.loss) / 0x1p32 - share) < 1e-6)
        let heard = (0..<10_000).count { air.receives(from: 0, to: 1, at: Self.at(milliseconds: $0)) != nil }
        #expect(abs(Double(heard) / 10_000 - (1 - share)) < 0.02)
    }

    @Test(arguments: [(-60, -70, -70), (-70, -60, -70), (nil, -60, -60), (-60, nil, -60)] as [(Int8?, Int8?, Int8)])
    func `The weaker of two strengths applies, in both directions`(one: Int8?, other: Int8?, heard: Int8) {
        var air = Self.air(.init(), .init())
        air.change(0) { $0.strength = one }
        air.change(1) { $0.strength = other }
        #expect(air.reception(from: 1, to: 0, at: .start).rssi == heard)
        #expect(air.reception(from: 0, to: 1, at: .start).rssi == heard)
    }

    @Test func `Losses combine, and a station that loses everything receives nothing`() {
        var air = Self.air(.init(), .init())
        air.change(0) { $0.loss = 1 << 31 }
        air.change(1) { ($0.strength, $0.loss) = (-91, 1 << 31) }
        #expect(air.reception(from: 1, to: 0, at: .start).loss == 7 << 29)
        air.change(1) { $0.loss = .max }
        #expect(air.reception(from: 1, to: 0, at: .start).loss == .max)
        #expect(air.receives(from: 1, to: 0, at: .start) == nil)
    }

    @Test func `A moving station moves at constant speed, and stays at the end`() {
        let trajectory = Trajectory(
            from: 1000, to: 3000, leaving: .start.advanced(by: .seconds(10)), taking: .seconds(4))
        let places = [9, 10, 11, 13, 14, 100].map { trajectory.millimetres(at: .start.advanced(by: .seconds($0))) }
        #expect(places == [1000, 1000, 1500, 2500, 3000, 3000])
        #expect(trajectory.isMoving(at: .start))
        #expect(!trajectory.isMoving(at: .start.advanced(by: .seconds(14))))
        let atOnce = Trajectory(from: 1000, to: 3000, leaving: .start, taking: .zero)
        #expect(atOnce.millimetres(at: .start) == 3000)
    }

    @Test(
        "The loss is steady where nothing can be lost, or everything is",
        arguments: [(1000, true), (15_000, true), (30_000, false), (90_000, false), (200_000, true)])
    func steady(millimetres: Int, isSteady: Bool) {
        let air = Self.air(.init(), .init(millimetres: millimetres))
        let now = Self.at(milliseconds: 250)
        let next = air.steadyTime(0, 1, from: now)
        #expect(next == (isSteady ? .never : Self.at(milliseconds: 300)))
        let losses = Set((0..<3000).map { air.reception(from: 1, to: 0, at: Self.at(milliseconds: $0 * 100)).loss })
        #expect((losses.count == 1) == isSteady)
    }

    @Test func `The loss of a moving station is not steady`() {
        var air = Self.air(.init(), .init())
        air.change(1) { $0.trajectory = Trajectory(from: 1000, to: 2000, leaving: .start, taking: .seconds(1)) }
        #expect(air.steadyTime(0, 1, from: .start) == Self.at(milliseconds: 100))
        #expect(air.steadyTime(0, 1, from: Self.at(milliseconds: 1000)) == .never)
        air.change(1) { $0.strength = -91 }
        #expect(air.steadyTime(0, 1, from: .start) == .never)
    }
}
