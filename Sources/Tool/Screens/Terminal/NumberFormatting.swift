let unknown = "–"

/// A number with thousands separators: `12,345`.
func grouped(_ number: UInt64) -> String {
    number < 1000 ? "\(number)" : "\(grouped(number / 1000)),\(String(number % 1000 + 1000).dropFirst())"
}

/// A number with thousands separators and up to 9 decimals; `unknown` when it is not finite or too large.
func groupedDecimal(_ value: Double, _ places: Int) -> String {
    let scale = (0..<min(max(0, places), 9)).reduce(Int64(1)) { scale, _ in scale * 10 }
    let scaled = (value * Double(scale)).rounded()
    guard abs(scaled) < 1e15 else { return unknown }
    let whole = Int64(scaled)
    let sign = whole < 0 ? "-" : ""
    let fraction = scale == 1 ? "" : ".\(String(whole.magnitude % scale.magnitude + scale.magnitude).dropFirst())"
    return "\(sign)\(grouped(whole.magnitude / scale.magnitude))\(fraction)"
}

/// `0:12:34`.
func clock(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let minutes = String(100 + seconds / 60 % 60).dropFirst()
    return "\(seconds / 3600):\(minutes):\(String(100 + seconds % 60).dropFirst())"
}
