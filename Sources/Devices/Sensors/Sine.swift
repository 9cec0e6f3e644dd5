/// The sine of so many whole turns, 0 ..< 1, to nine decimals.
///
/// An own polynomial: `sin` of the C library may differ from machine to machine in its last bit, and with it every byte
/// that a simulation sends.
func sin(turns: Double) -> Double {
    let half = turns < 0.5 ? turns : turns - 0.5  // the second half of a turn is the first one upside down
    let quarter = half <= 0.25 ? half : 0.5 - half  // and the second quarter the first one backwards
    let x = quarter * 6.283185307179586
    let y = x * x
    // Taylor's series; the first term left out is below 6e-10 at a quarter turn.
    let value =
        x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156))))))
    return turns < 0.5 ? value : -value
}
