/// The sine of a number of turns, 0 ..< 1, to nine decimals.
///
/// The C library's `sin` may differ between machines in its last bit, and so would all simulated packets.
func sin(turns: Double) -> Double {
    let half = turns < 0.5 ? turns : turns - 0.5  // the second half is the negated first one
    let quarter = half <= 0.25 ? half : 0.5 - half  // the second quarter is the reversed first one
    let x = quarter * 6.283185307179586
    let y = x * x
    // Taylor series; the first omitted term is below 6e-10 at a quarter turn.
    let value =
        x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156))))))
    return turns < 0.5 ? value : -value
}
