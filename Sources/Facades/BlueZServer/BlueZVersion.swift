/// A version of BlueZ that can be played.
///
/// Versions differ by data: the first version of each property in the tables of `ServedInterface`, and of each
/// `Trait`. Source: BlueZ's repository, the tags 5.55 to 5.87; the behaviour of 5.66 was measured.
package struct BlueZVersion: Hashable, Sendable {
    /// The number after `5.`.
    package let number: Int

    /// A behaviour of a version and all later ones; the raw value is the first one.
    enum Trait: Int {
        /// Programs can monitor advertisements: src/adv_monitor.c.
        case monitors = 56
        /// Connect fails with texts such as `le-connection-abort-by-local`, in place of those of errno: src/error.h.
        case connectionTexts = 62
        /// Services that bluetoothd itself uses are exported, and cannot be written: main.conf, ExportClaimedServices.
        case exportsClaimedServices = 80
        /// A second Connect is refused with InProgress: dev_connect in src/device.c.
        case refusesSecondConnect = 81
        /// Device1.Disconnected tells why a connection has ended: src/device.c.
        case reportsReason = 83
    }

    /// The version whose behaviour was measured.
    package static let measured = BlueZVersion(number: 66)
    private static let known = 55...87

    private init(number: Int) { self.number = number }

    /// Reads `5.66`.
    package init?(_ text: String) {
        guard text.hasPrefix("5."), let number = Int(text.dropFirst(2)), Self.known.contains(number),
            "5.\(number)" == text
        else { return nil }
        self.number = number
    }

    package var text: String { "5.\(number)" }
    /// The versions that can be read.
    package static let range = "5.\(known.lowerBound) to 5.\(known.upperBound)"

    func has(_ trait: Trait) -> Bool { number >= trait.rawValue }
}

extension ServedInterface {
    /// The interface without what a version does not have.
    func of(_ version: BlueZVersion) -> ServedInterface {
        var interface = self
        interface.properties.removeAll { $0.since > version.number }
        interface.signals.removeAll { $0.since > version.number }
        return interface
    }
}
