public import Bluetooth

/// The services and characteristics that are Lubdub's own: `6c75XXXX-6264-4562-a000-4c7562647562`, where XXXX is the
/// number.  All their fields have the lowest octet first.
public enum VendorUUID: UInt16, CaseIterable, Sendable {
    /// Service: steps, and the temperature of the body by the SIG's 0x2A6E.
    case fitness = 0x0100
    /// All steps since the start: a `VendorCount`.  Read, notify.
    case steps = 0x0101
    /// The steps since the day began: a `VendorCount`.  Read, notify.
    case stepsToday = 0x0102
    /// Service: an electrocardiogram.
    case ecg = 0x0200
    /// An `ECGFrame`.  Notify.
    case ecgSamples = 0x0201
    /// An `ECGDescription`.  Read.
    case ecgDescription = 0x0202
    /// Service: heart rates, hundreds in a second.
    case measurements = 0x0300
    /// A `HeartRateFrame`.  Notify.
    case heartRates = 0x0301
    /// Service: a number for other purposes.
    case feed = 0x0400
    /// A `VendorCount`.  Read, notify.
    case feedValue = 0x0401

    /// All 128 bits.
    public var uuid: UUID {
        UUID.full([0x62, 0x75, 0x64, 0x62, 0x75, 0x4C, 0, 0xA0, 0x62, 0x45, 0x64, 0x62], rawValue)
    }

    /// What people read about a characteristic: its Characteristic User Description, 0x2901.  Nil for a service.
    public var userDescription: String? {
        switch self {
        case .fitness, .ecg, .measurements, .feed: nil
        case .steps: "Steps"
        case .stepsToday: "Steps Today"
        case .ecgSamples: "ECG Samples"
        case .ecgDescription: "ECG Description"
        case .heartRates: "Heart Rate Values"
        case .feedValue: "Feed Value"
        }
    }
}

extension UUID {
    /// The one with these lowest 12 octets, then `number`, then those of `prefix`.
    static func full(_ lowest: [UInt8], _ number: UInt16, prefix: UInt16 = 0x6C75) -> UUID {
        let octets = lowest + [number, prefix].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return UUID(octets: octets) ?? UUID(number)  // 16 octets always are one
    }
}
