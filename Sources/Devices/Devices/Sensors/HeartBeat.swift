import Basics

/// The contribution of one beat to an electrocardiogram: five waves, each a bell curve around a time near the beat.
///
/// This is the model of McSharry, Clifford, Tarassenko and Smith ("A dynamical model for generating synthetic
/// electrocardiogram signals", IEEE Transactions on Biomedical Engineering 50(3), 2003; ECGSYN) without its return to
/// the baseline: its solution is then this sum, so that a sample needs no history. The preceding interval converts
/// ECGSYN's angles θ and widths b to times and adapts them to the rate: times near the R wave grow with the square root
/// of the interval, those of P and T with its ¾ power.
struct HeartBeat: Sendable {
    /// The peak of the R wave, in nanoseconds since the start.
    let peak: Int64
    private let near: Double  // √interval, in √s
    private let far: Double  // interval^¾

    /// A wave in ECGSYN's terms, and its height relative to the R wave: a·b² over that of R.
    struct Wave {
        let degrees: Double
        let width: Double
        let height: Double
        let isFar: Bool

        init(_ degrees: Double, a: Double, b: Double, isFar: Bool = false) {
            (self.degrees, width, self.isFar) = (degrees, b, isFar)
            height = a * b * b / 0.3
        }
    }

    /// P, Q, R, S and T.
    static let waves = [
        Wave(-70, a: 1.2, b: 0.25, isFar: true), Wave(-15, a: -5, b: 0.1), Wave(0, a: 30, b: 0.1),
        Wave(15, a: -7.5, b: 0.1), Wave(100, a: 0.75, b: 0.4, isFar: true),
    ]

    /// Maximum time from the start of a beat to its R wave: P after the longest interval.
    static let lead: Int64 = 500_000_000
    /// Maximum time from the R wave to the end of a beat: T after the longest interval.
    static let trail: Int64 = 700_000_000

    /// A beat after this interval, clamped to 0.2 s…1.5 s.
    init(peak: Int64, interval: Int64) {
        self.peak = peak
        let seconds = Double(min(max(interval, 200_000_000), 1_500_000_000)) / 1e9
        near = seconds.squareRoot()
        far = near * near.squareRoot()
    }

    /// The peak time and standard deviation of a wave in nanoseconds.
    func shape(of wave: Wave) -> (middle: Int64, deviation: Double) {
        let offset = wave.degrees / 360 * (wave.isFar ? far : near)
        return (peak + Int64(offset * 1e9), wave.width / 6.283185307179586 * near * 1e9)
    }
}
