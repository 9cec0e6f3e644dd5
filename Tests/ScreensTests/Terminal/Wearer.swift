import Basics

@testable import Screens

/// Somebody with everything on that a screen can show, 754 s after the connection.
enum Wearer {
    static let now = Instant(nanoseconds: 754_000_000_000)

    /// Rates that rise and fall, and a heart of 75 bpm.
    static func dashboard(_ name: String? = "Lubdub 心拍") -> Dashboard {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        func take(_ input: Dashboard.Input) { dashboard.take(input, at: .start) }
        take(.device(address: "C0:FF:EE:00:00:01/random", name: name))
        take(.link(.connected))
        take(.link(.subscribed))
        for index in 0..<300 {
            let wave = index % 50 < 25 ? index % 25 : 25 - index % 25
            take(.heartRate(UInt16(62 + wave + index / 20), contact: true, energy: 12))
            take(.rrIntervals([UInt16(61_440 / (62 + wave + index / 20)) + UInt16(index * 37 % 41)]))
        }
        for beat in 0..<10 { take(.ecg(Self.beat, at: UInt32(beat * Self.beat.count), rate: 500, isLeadOff: false)) }
        take(.fact(.init(label: "battery", value: "87 %")))
        take(.fact(.init(label: "temperature", value: "36.55 °C")))
        take(.statistic(Statistic(.resting, thousandths: 61_333)))
        take(.statistic(Statistic(.mostFrequent, thousandths: 70_000)))
        var total: UInt32 = 0
        for (index, steps) in [8124, 0, 10000, 9999, 20411, 12005, 3000, 6000, 7500, 2345].enumerated() {
            total += UInt32(steps)
            take(.steps(total))
            guard let day = CalendarDay(year: 2024, month: 3, day: 1 + index) else { continue }
            take(.stepsToday(UInt32(steps), on: day))
        }
        return dashboard
    }

    /// 400 samples in microvolts: R, S and T.
    private static let beat = (0..<400).map { sample in
        let spike = max(0, 10 - abs(sample - 100)) * 110
        let wave = max(0, 250 - abs(sample - 210) * 8)
        return Int16(spike + wave - (sample == 112 ? 300 : 0))
    }
}
