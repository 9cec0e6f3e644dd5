import Basics

/// Evenly spaced round numbers for the axis of a figure.
struct Scale {
    /// In ascending order, within the bounds.
    let marks: [Double]

    /// At most `count` marks from `low` to `high`.
    init(from low: Double, to high: Double, atMost count: Int) {
        guard low.isFinite, high.isFinite, low < high else {
            marks = [low]
            return
        }
        var step = 1.0
        while step * 10 <= (high - low) / Double(count) { step *= 10 }
        while step > (high - low) / Double(count) { step /= 10 }
        let factor = [1.0, 2, 5, 10, 20].first {
            ((high / (step * $0)).rounded(.down) - (low / (step * $0)).rounded(.up)) < Double(count)
        }
        step *= factor ?? 20
        var marks: [Double] = []
        var next = (low / step).rounded(.up)
        while next * step <= high, marks.count < count {
            marks.append(next * step)
            next += 1
        }
        self.marks = marks
    }
}

extension Duration {
    /// With one decimal, in a suitable unit: `12.3 s`, `2.5 min`.
    var formatted: String {
        let unit = Unit(for: self)
        return "\(tenths(of: unit)) \(unit.name)"
    }

    /// With one decimal.
    private func tenths(of unit: Unit) -> String {
        let (tenths, rest) = inNanoseconds.quotientAndRemainder(dividingBy: unit.size / 10)
        let rounded = rest >= unit.size / 20 ? tenths + 1 : tenths
        return "\(rounded / 10).\(rounded % 10)"
    }

    /// Always in seconds, with one decimal: `630.0 s`.
    var formattedInSeconds: String { "\(tenths(of: Unit.second)) s" }

    struct Unit {
        let name: String
        /// In nanoseconds.
        let size: Int64

        static let second = Unit(for: .zero)

        init(for length: Duration) {
            let seconds = length.inNanoseconds / 1_000_000_000
            (name, size) =
                switch seconds {
                case ..<600: ("s", 1_000_000_000)
                case ..<36_000: ("min", 60_000_000_000)
                case ..<864_000: ("h", 3_600_000_000_000)
                default: ("d", 86_400_000_000_000)
                }
        }
    }
}
