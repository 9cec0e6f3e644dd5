import Basics
import Devices
import Documents
import ScenarioModel

/// Reads curves from checked documents; returns nil after noting a problem.
struct CurveReader {
    let loader: Loader

    /// A number, a boolean (1 or 0), a string or a curve; notes a problem if it leaves `range`.
    func value(_ cursor: Cursor, in range: ClosedRange<Double>? = nil) -> Value? {
        if let text = cursor.string { return .text(text) }
        return curve(cursor, in: range).map(Value.curve)
    }

    /// A number, a boolean (1 or 0) or a curve; notes a problem if it leaves `range`.
    func curve(_ cursor: Cursor, in range: ClosedRange<Double>? = nil) -> Curve? {
        guard let curve = curve(cursor) else { return nil }
        if let range, let extent = curve.extent,
            extent.lowerBound < range.lowerBound || extent.upperBound > range.upperBound
        {
            let (low, high) = (extent.lowerBound.plain, extent.upperBound.plain)
            let (least, most) = (range.lowerBound.plain, range.upperBound.plain)
            let wrong = extent.upperBound > range.upperBound ? extent.upperBound : extent.lowerBound
            let place = low == high ? cursor : cursor.entries.map(\.value).first { $0.number == wrong }
            (place ?? cursor).note(
                .outOfRange,
                place != nil
                    ? "expected a number from \(least) to \(most), found \(wrong.plain)"
                    : "expected a curve from \(least) to \(most), found one from \(low) to \(high)")
        }
        return curve
    }

    private func curve(_ cursor: Cursor) -> Curve? {
        if let number = cursor.number { return .constant(number) }
        if let bool = cursor.bool { return .constant(bool ? 1 : 0) }
        func number(_ key: String) -> Double? { cursor[key]?.number }
        switch cursor["curve"]?.string {
        case "list":
            guard let values = cursor["values"]?.numbers, !values.isEmpty,
                let period = positive(cursor["period"])
            else { return nil }
            return .list(values, period: period, then: cursor["then"].choice() ?? .hold)
        case "ramp":
            guard let start = number("start"), let end = number("end"), let over = cursor["over"]?.duration else {
                return nil
            }
            return .ramp(start: start, end: end, over: over)
        case "step":
            guard let start = number("start"), let by = number("by"), let period = positive(cursor["period"]) else {
                return nil
            }
            return .step(start: start, by: by, period: period)
        case "sine":
            guard let mean = number("mean"), let amplitude = number("amplitude"),
                let period = positive(cursor["period"])
            else { return nil }
            return .sine(mean: mean, amplitude: amplitude, period: period)
        case "walk": return walk(cursor)
        case "pieces": return pieces(cursor)
        case "days":
            guard let totals = cursor["totals"]?.numbers, !totals.isEmpty else { return nil }
            return .days(totals, profile: cursor["profile"].choice() ?? .flat)
        case "csv": return samples(cursor).map(Curve.samples)
        case "sum":
            let terms = (cursor["terms"]?.items ?? []).compactMap { curve($0) }
            return terms.isEmpty ? nil : .sum(terms)
        default: return nil
        }
    }

    private func walk(_ cursor: Cursor) -> Curve? {
        guard let start = cursor["start"]?.number, let by = cursor["by"]?.number,
            let period = positive(cursor["period"]), let bounds = cursor["range"]?.numbers,
            bounds.count == 2
        else { return nil }
        guard bounds[0] <= bounds[1] else {
            cursor["range"]?.note(.outOfRange, "the lowest value must come first")
            return nil
        }
        if !(bounds[0]...bounds[1]).contains(start) {
            cursor["start"]?.note(.outOfRange, "the start must be within \"range\"")
        }
        if by < 0 { cursor["by"]?.note(.outOfRange, "the largest step must not be negative") }
        return .walk(start: start, by: by, period: period, range: bounds[0]...bounds[1])
    }

    private func pieces(_ cursor: Cursor) -> Curve? {
        let items = cursor["pieces"]?.items ?? []
        var pieces: [Curve.Piece] = []
        for (index, item) in items.enumerated() {
            if index < items.count - 1, item["for"] == nil {
                item.note(.missingKey, "\"for\" is required, except in the last piece")
            }
            guard let value = item["value"].flatMap({ curve($0) }) else { continue }
            pieces.append(Curve.Piece(value, for: positive(item["for"])))
        }
        return pieces.isEmpty ? nil : .pieces(pieces)
    }

    private func samples(_ cursor: Cursor) -> [Curve.Sample]? {
        cursor["file"].flatMap { file in
            loader.table(file) { octets throws(CSVTable.Failure) in
                try CSVTable.samples(octets, column: cursor["column"]?.string, time: cursor["time"]?.string)
            }
        }
    }

    /// A duration above zero; notes a problem otherwise.
    private func positive(_ cursor: Cursor?) -> Duration? {
        guard let cursor, let duration = cursor.duration else { return nil }
        if duration > .zero { return duration }
        cursor.note(.outOfRange, "expected a duration above zero")
        return nil
    }
}

extension Curve {
    /// The range of its values, if that is known; of a step, its start.
    var extent: ClosedRange<Double>? {
        switch self {
        case .constant(let value), .step(let value, _, _): return value...value
        case .list(let values, _, _), .days(let values, _):
            if case .days = self { return nil }
            return Self.around(values)
        case .ramp(let start, let end, _): return min(start, end)...max(start, end)
        case .sine(let mean, let amplitude, _):
            return Self.around([mean - abs(amplitude), mean + abs(amplitude)])
        case .walk(_, _, _, let range): return range
        case .pieces(let pieces):
            let extents = pieces.compactMap(\.curve.extent)
            return Self.around(extents.flatMap { [$0.lowerBound, $0.upperBound] })
        case .samples(let samples): return Self.around(samples.map(\.value))
        case .sum(let terms):
            let extents = terms.compactMap(\.extent)
            guard extents.count == terms.count else { return nil }
            return Self.around([
                extents.reduce(0) { $0 + $1.lowerBound }, extents.reduce(0) { $0 + $1.upperBound },
            ])
        }
    }

    private static func around(_ values: [Double]) -> ClosedRange<Double>? {
        guard let low = values.min(), let high = values.max(), low <= high else { return nil }
        return low...high
    }
}

extension Cursor {
    /// The duration; nil for other values.
    var duration: Duration? { string.flatMap(Duration.init(parsing:)) }
}

extension Cursor? {
    /// The choice whose raw value is the string; nil for other values.
    func choice<Choice: RawRepresentable<String>>() -> Choice? { self?.string.flatMap(Choice.init(rawValue:)) }
}
