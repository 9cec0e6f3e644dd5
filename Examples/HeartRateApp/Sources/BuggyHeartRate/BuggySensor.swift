import Foundation
import HeartRateSensor

/// A bug that apps have that play a sensor.
public enum SensorBug: String, CaseIterable, Sendable {
    /// Sends two octets, the most significant one first.
    case swappedOctets
    /// The flags announce an energy that is not there.
    case missingEnergy
    /// Answers each part of a long value with its beginning.
    case ignoredOffset
}

/// A `HeartRateSensor` with one bug.
public final class BuggySensor: HeartRateSensor {
    private let bug: SensorBug

    /// A sensor with this bug.
    public init(_ bug: SensorBug) {
        self.bug = bug
        super.init()
    }

    public override func encode(bpm: Int, energy: Int?) -> Data {
        switch bug {
        case .swappedOctets: Data([0x07, UInt8(bpm >> 8), UInt8(bpm & 0xFF)])
        case .missingEnergy: Data([0x0E, UInt8(bpm & 0xFF)])
        case .ignoredOffset: super.encode(bpm: bpm, energy: energy)
        }
    }

    public override func part(of value: Data, from offset: Int) -> Data? {
        bug == .ignoredOffset ? value : super.part(of: value, from: offset)
    }
}
