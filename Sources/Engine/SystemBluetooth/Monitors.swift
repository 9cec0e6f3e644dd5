package import Bluetooth

/// Octets that a monitor looks for in advertising data.  bt_ad_pattern in src/shared/ad.h of BlueZ.
package struct AdvertisingPattern: Hashable, Sendable {
    /// The type of the AD structure.
    package let type: ADType
    /// Where the octets begin in the structure's data.
    package let offset: Int
    package let octets: [UInt8]

    package init(_ type: ADType, at offset: Int, _ octets: [UInt8]) {
        (self.type, self.offset, self.octets) = (type, offset, octets)
    }

    fileprivate func matches(_ structure: AdvertisingData.Structure) -> Bool {
        structure.type == type && structure.data.dropFirst(offset).starts(with: octets)
    }
}

/// What programs monitor: a system with a monitor scans passively while no program scans, and programs learn of each
/// advertisement that has one of the monitor's patterns.
struct Monitors: Sendable {
    struct Monitor: Sendable {
        let program: ProgramID
        let id: UInt32
        let patterns: [AdvertisingPattern]
    }

    private var monitors: [Monitor] = []

    /// Whether a program monitors.
    var isWanted: Bool { !monitors.isEmpty }

    mutating func begin(_ monitor: Monitor) { monitors.append(monitor) }

    mutating func end(_ id: UInt32, of program: ProgramID) {
        monitors.removeAll { $0.program == program && $0.id == id }
    }

    mutating func end(of program: ProgramID) { monitors.removeAll { $0.program == program } }

    /// The monitors with a pattern that advertising data has; malformed data have none.
    func matching(_ octets: [UInt8]) -> [Monitor] {
        guard !monitors.isEmpty, let data = try? AdvertisingData(octets: octets, limit: .extended) else { return [] }
        return monitors.filter { monitor in
            monitor.patterns.contains { pattern in data.structures.contains { pattern.matches($0) } }
        }
    }
}
