import Basics
import Glibc

/// The strength and the loss with which one station receives another.
struct Reception: Hashable, Sendable {
    /// In dBm: −127 to 20, as in HCI; 127: not available.
    private(set) var rssi: Int8
    /// The loss probability times 2³²; `UInt32.max`: every packet is lost.
    private(set) var loss: UInt32

    /// Nothing is received.
    static let none = Reception(rssi: -127, loss: .max)

    /// At this strength and above, no packet is lost: dBm.
    static let clear = -85
    /// At this strength and below, every packet is lost: dBm.
    static let limit = -97

    private init(rssi: Int8, loss: UInt32) { (self.rssi, self.loss) = (rssi, loss) }

    /// The loss at a strength in dBm: none at −85 and above, all at −97 and below, half at −91.
    ///
    /// Between them it is 3x² − 2x³ with x from 0 to 1, as for a receiver near its sensitivity limit: a bit error rate
    /// of 0.1 % at −70 dBm or better (Core 6.0, Vol 6, Part A, section 4.1).
    init(strength: Int) {
        rssi = Int8(max(-127, min(20, strength)))
        let (below, width) = (UInt64(max(0, Self.clear - strength)), UInt64(Self.clear - Self.limit))
        guard below < width else {
            loss = .max
            return
        }
        loss = UInt32(below * below * (3 * width - 2 * below) << 32 / (width * width * width))
    }

    /// Makes the strength unavailable.
    mutating func hideStrength() { rssi = 127 }

    /// Adds an independent loss with probability `share` / 2³².
    mutating func lose(_ share: UInt32) {
        let all: UInt64 = 1 << 32
        let left = (all - UInt64(loss)).multipliedFullWidth(by: all - UInt64(share))
        loss = UInt32(clamping: all - (left.high << 32 | left.low >> 32))
    }
}

/// Path loss: ITU-R P.1238 with the office coefficient, at 2440 MHz.
///
/// `20 · log10(2440) + 30 · log10(metres) − 28 dB`: 40 dB at 1 m, and 9 dB more at twice the distance.  Distances below
/// 10 cm count as 10 cm.
enum PathLoss {
    static func strength(power: Int8, millimetres: Int) -> Int {
        let metres = Double(max(100, millimetres)) / 1000
        return Int((Double(power) - 40 - 30 * log10(metres)).rounded())
    }
}

/// Fading between two stations: up to 8 dB, mostly less than 2 dB, equal in both directions, and constant for 100 ms.
enum Fading {
    static let deepest = 8
    private static let nanoseconds: Int64 = 100_000_000

    static func block(of now: Instant) -> UInt64 { UInt64(max(0, now.nanoseconds) / nanoseconds) }

    static func next(after now: Instant) -> Instant {
        now.advanced(byNanoseconds: nanoseconds - max(0, now.nanoseconds) % nanoseconds)
    }

    /// A binomial draw: the number of heads among 16 coins, minus 8.
    static func depth(_ draw: inout RandomStream) -> Int { (draw.next() & 0xFFFF).nonzeroBitCount - 8 }
}
