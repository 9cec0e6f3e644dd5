/// A number with `places` decimals.
package func decimal(_ value: Double, _ places: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let decimals = String(Int64(scale) + whole % Int64(scale)).dropFirst()
    return "\(sign)\(whole / Int64(scale)).\(decimals)"
}
