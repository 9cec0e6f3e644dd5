import Basics
import Bluetooth
import DBus
import SystemBluetooth

/// A monitor of a program: its patterns and thresholds, and the devices that it has found.  src/adv_monitor.c.
struct AdvertisementMonitor: Sendable {
    /// From when on a device is there, and from when on it is not.
    struct Thresholds: Equatable, Sendable {
        /// A device is there if it was stronger than `high`, in dBm, for `highTimeout`.
        let high: Int16
        let highTimeout: Duration
        /// It has gone if it was weaker than `low`, or was not heard, for `lowTimeout`.
        let low: Int16
        let lowTimeout: Duration
    }

    enum Change: Equatable, Sendable {
        case found, lost

        /// The method of the program.
        var member: MemberName { self == .found ? "DeviceFound" : "DeviceLost" }
    }

    private struct Tracked: Sendable {
        var isFound = false
        var strongSince: Instant?
        var weakSince: Instant?
        var heard: Instant?
    }

    let patterns: [AdvertisingPattern]
    /// Nil: each advertisement is reported.
    let thresholds: Thresholds?
    private var devices: [DeviceAddress: Tracked] = [:]

    // MARK: Properties

    /// Reads the properties of org.bluez.AdvertisementMonitor1; nil if the monitor is invalid.
    init?(_ properties: Value) {
        guard properties["Type"] == .string("or_patterns"), let patterns = Self.patterns(properties["Patterns"])
        else { return nil }
        self.patterns = patterns
        do throws(Invalid) { thresholds = try Self.thresholds(properties) } catch { return nil }
    }

    private static func patterns(_ value: Value?) -> [AdvertisingPattern]? {
        guard let elements = value?.elements else { return nil }
        let patterns = elements.compactMap { element -> AdvertisingPattern? in
            guard let members = element.members, members.count == 3, let offset = members[0].byte,
                let type = members[1].byte, let octets = members[2].octets, isValid(type), !octets.isEmpty,
                Int(offset) + octets.count <= AdvertisingData.Limit.legacy.rawValue
            else { return nil }
            return AdvertisingPattern(ADType(type), at: Int(offset), octets)
        }
        return patterns.isEmpty || patterns.count < elements.count ? nil : patterns
    }

    /// ad_is_type_valid in src/shared/ad.c.
    private static func isValid(_ type: UInt8) -> Bool { (0x01...0x3D).contains(type) || type == 0xFF }

    private struct Invalid: Error {}

    /// Parses what is set; the rest gets the values of `parse_rssi_and_timeout`.
    private static func thresholds(_ properties: Value) throws(Invalid) -> Thresholds? {
        let high = try number(properties["RSSIHighThreshold"], \.int16, unset: 127)
        let low = try number(properties["RSSILowThreshold"], \.int16, unset: 127)
        let highTimeout = try number(properties["RSSIHighTimeout"], \.uint16, unset: 0)
        let lowTimeout = try number(properties["RSSILowTimeout"], \.uint16, unset: 0)
        let period = try number(properties["RSSISamplingPeriod"], \.uint16, unset: 256)
        guard high != nil || low != nil || highTimeout != nil || lowTimeout != nil || period != nil else {
            return nil
        }
        let weakest = low ?? -127
        let strongest = high ?? weakest
        let (strong, weak) = (highTimeout ?? 10, lowTimeout ?? 5)
        guard (-127...20).contains(weakest), (weakest...max(weakest, 20)).contains(strongest),
            (1...300).contains(strong), (1...300).contains(weak), period ?? 0 <= 255
        else { throw Invalid() }
        return Thresholds(high: strongest, highTimeout: .seconds(strong), low: weakest, lowTimeout: .seconds(weak))
    }

    private static func number<Number: Equatable>(
        _ value: Value?, _ read: (Value) -> Number?, unset: Number
    ) throws(Invalid) -> Number? {
        guard let value else { return nil }
        guard let number = read(value) else { throw Invalid() }
        return number == unset ? nil : number
    }

    // MARK: Devices

    /// Whether a device is there, and its loss has to be noticed.
    func isTracking(_ peer: DeviceAddress) -> Bool { devices[peer]?.isFound == true }

    /// Handles an advertisement that has one of the patterns: adv_monitor_filter_rssi.
    mutating func hear(_ peer: DeviceAddress, rssi: Int8, at now: Instant) -> Change? {
        guard let thresholds else { return .found }
        var device = devices[peer] ?? Tracked()
        defer { devices[peer] = device }
        if let heard = device.heard {
            if heard.advanced(by: thresholds.highTimeout) < now { device.strongSince = nil }
            if heard.advanced(by: thresholds.lowTimeout) < now { device.weakSince = nil }
        }
        device.heard = now
        var change: Change?
        if !device.isFound, rssi > thresholds.high {
            if let since = device.strongSince, since.advanced(by: thresholds.highTimeout) <= now {
                (device.isFound, change) = (true, .found)
            }
            device.strongSince = device.strongSince ?? now
        } else {
            device.strongSince = nil
        }
        if device.isFound, rssi < thresholds.low {
            if let since = device.weakSince, since.advanced(by: thresholds.lowTimeout) <= now {
                (device.isFound, change) = (false, .lost)
            }
            device.weakSince = device.weakSince ?? now
        } else {
            device.weakSince = nil
        }
        return change
    }

    /// Notes that a device has gone: it was not heard for too long.
    mutating func lose(_ peer: DeviceAddress) { devices[peer]?.isFound = false }

    /// The service does not know a device any more.
    mutating func forget(_ peer: DeviceAddress) { devices[peer] = nil }
}
