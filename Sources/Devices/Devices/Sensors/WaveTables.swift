/// Tables of a bell curve and a sine: the same values on every machine, and fast enough for each sample.
struct WaveTables: Sendable {
    /// The only instance.
    static let shared = WaveTables()
    /// Number of standard deviations at which bells are cut off; they are below 0.0004 there.
    static let reach = 4.0

    private static let stepsPerDeviation = 256.0
    private static let stepsPerTurn = 1024.0
    private let bells: [Double]
    private let sines: [Double]

    private init() {
        bells = (0...Int(Self.reach * Self.stepsPerDeviation) + 1).map { step in
            let x = Double(step) / Self.stepsPerDeviation
            return Self.exponential(-x * x / 2)
        }
        sines = (0...Int(Self.stepsPerTurn)).map { step in
            sin(turns: Double(step % Int(Self.stepsPerTurn)) / Self.stepsPerTurn)
        }
    }

    /// exp(-x²/2) to five decimals; 0 beyond `reach`.
    func bell(_ x: Double) -> Double {
        let place = x.magnitude * Self.stepsPerDeviation
        guard place < Self.reach * Self.stepsPerDeviation else { return 0 }
        let step = Int(place)
        return bells[step] + (bells[step + 1] - bells[step]) * (place - Double(step))
    }

    /// The sine of a number of turns, 0 ..< 1, to five decimals.
    func sine(turns: Double) -> Double {
        let place = turns * Self.stepsPerTurn
        let step = Int(place)
        return sines[step] + (sines[step + 1] - sines[step]) * (place - Double(step))
    }

    /// eˣ, by its series for x/256 squared eight times.
    private static func exponential(_ x: Double) -> Double {
        let y = x / 256
        var power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5 * (1 + y / 6)))))
        for _ in 0..<8 { power *= power }
        return power
    }
}
