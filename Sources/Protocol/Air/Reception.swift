import Glibc
import Simulation

/// How somebody hears somebody else.
public struct Reception: Hashable, Sendable {
    /// In dBm: −127 to 20, as HCI has it.
    public private(set) var rssi: Int8
    /// How many of 2³² packets get lost; the greatest number: all.
    public private(set) var loss: UInt32

    /// Of who is not there.
    public static let none = Reception(rssi: -127, loss: .max)

    /// Nothing is lost that is heard with so many dBm.
    static let clear = -85
    /// Nothing is heard any more with so many dBm.
    static let limit = -97

    private init(rssi: Int8, loss: UInt32) { (self.rssi, self.loss) = (rssi, loss) }

    /// What is lost at a strength in dBm: nothing from −85 on, all up to −97, half at −91.
    ///
    /// With x from 0 to 1 between them, 3x² − 2x³: the curve of a receiver about the limit of its sensitivity, which is where
    /// a tenth of a per cent of the bits are wrong (Core 6.0, Vol 6, Part A, section 4.1), and −70 dBm or better.
    init(strength: Int) {
        rssi = Int8(max(-127, min(20, strength)))
        let (below, width) = (UInt64(max(0, Self.clear - strength)), UInt64(Self.clear - Self.limit))
        guard below < width else {
            loss = .max
            return
        }
        loss = UInt32(below * below * (3 * width - 2 * below) << 32 / (width * width * width))
    }

    /// A share of 2³² of what is left gets lost besides.
    mutating func lose(_ share: UInt32) {
        let all: UInt64 = 1 << 32
        let left = (all - UInt64(loss)).multipliedFullWidth(by: all - UInt64(share))
        loss = UInt32(clamping: all - (left.high << 32 | left.low >> 32))
    }
}

/// What the distance costs: ITU-R P.1238 with the coefficient of an office, at 2440 MHz.
///
/// `20 · log10(2440) + 30 · log10(metres) − 28 dB`, so 40 dB at a metre and 9 dB more at twice the distance; never less than
/// at 10 cm.
enum PathLoss {
    static func strength(power: Int8, millimetres: Int) -> Int {
        let metres = Double(max(100, millimetres)) / 1000
        return Int((Double(power) - 40 - 30 * log10(metres)).rounded())
    }
}

/// How much the strength of a pair of stations varies, while people breathe and doors move: by up to 8 dB and mostly by
/// less than 2, the same in both directions, for 100 ms at a time.
enum Fading {
    static let deepest = 8
    private static let nanoseconds: Int64 = 100_000_000

    static func block(of now: Instant) -> UInt64 { UInt64(max(0, now.nanoseconds) / nanoseconds) }

    static func next(after now: Instant) -> Instant {
        now.advanced(byNanoseconds: nanoseconds - max(0, now.nanoseconds) % nanoseconds)
    }

    /// Of 16 coins, how many more or fewer than 8 show heads.
    static func depth(_ draw: inout RandomStream) -> Int { (draw.next() & 0xFFFF).nonzeroBitCount - 8 }
}
