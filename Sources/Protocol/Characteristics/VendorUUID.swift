public import Bluetooth

/// Lubdub's services and characteristics: `6c75XXXX-6264-4562-a000-4c7562647562`, where XXXX is the number.  Their fields
/// are little-endian.
public enum VendorUUID: UInt16, CaseIterable, Sendable {
    /// Service: steps, and body temperature as the SIG's Temperature, 0x2A6E.
    case fitness = 0x0100
    /// Steps since the start: a `VendorCount`.  Read, notify.
    case steps = 0x0101
    /// Steps since midnight: a `VendorCount`.  Read, notify.
    case stepsToday = 0x0102
    /// Service: an electrocardiogram.
    case ecg = 0x0200
    /// An `ECGFrame`.  Notify.
    case ecgSamples = 0x0201
    /// An `ECGDescription`.  Read.
    case ecgDescription = 0x0202
    /// Service: heart rates at hundreds of values per second.
    case measurements = 0x0300
    /// A `HeartRateFrame`.  Notify.
    case heartRates = 0x0301
    /// Service: a number with a free meaning.
    case feed = 0x0400
    /// A `VendorCount`.  Read, notify.
    case feedValue = 0x0401

    /// The 128-bit UUID.
    public var uuid: UUID {
        UUID.full([0x62, 0x75, 0x64, 0x62, 0x75, 0x4C, 0, 0xA0, 0x62, 0x45, 0x64, 0x62], rawValue)
    }

    /// The Characteristic User Description, 0x2901; nil for a service.
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
    /// The UUID with these 12 least significant octets, then `number`, then `prefix`.
    static func full(_ lowest: [UInt8], _ number: UInt16, prefix: UInt16 = 0x6C75) -> UUID {
        let octets = lowest + [number, prefix].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        return UUID(octets: octets) ?? UUID(number)  // 16 octets are always a UUID
    }
}
