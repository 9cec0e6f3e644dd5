package import ATT
package import Bluetooth
package import GATT

/// Identifies a user of the Bluetooth service: each manager of CoreBluetooth is one.
package struct ProgramID: Hashable, Sendable {
    package let number: UInt32

    package init(number: UInt32) { self.number = number }
}

/// What a program requests of the central role of the Bluetooth service.
package enum CentralRequest: Sendable {
    /// A program has begun to use the service.
    case open
    /// A program has ended: its scan and its connections end.
    case close
    /// Scans, in place of the program's present scan.
    case scan(ScanOptions)
    case stopScanning
    /// Reports advertisements with one of these patterns, in addition to the program's scan; a passive scan suffices.
    case monitor(id: UInt32, [AdvertisingPattern])
    case stopMonitoring(id: UInt32)
    /// Connects as soon as the peripheral advertises.
    case connect(DeviceAddress, ConnectionOptions)
    /// Ends the connection, or the attempt to connect: the program's, or everyone's.
    case cancel(DeviceAddress)
    /// Pairs, and connects before if necessary; `CentralEvent.paired` follows.
    case pair(DeviceAddress)
    /// Ends a pairing that has not ended.
    case cancelPairing(DeviceAddress)
    /// Ends the connection, and forgets the bond, the attributes and the peripheral.
    case forget(DeviceAddress)
    /// Switches the radio off or on.
    case power(Bool)
    /// Reports the connections of all programs with one of these peripherals, or with a peripheral that has one of these
    /// services, in place of earlier ones.
    case watch([DeviceAddress], [UUID])
    /// Starts an operation on a connected peripheral; `CentralEvent.finished` repeats the program's `id`.
    indirect case start(CentralOperation, id: UInt32, DeviceAddress)
}

/// Which advertisements a program's scan reports.
package struct ScanOptions: Equatable, Sendable {
    /// The peripheral must advertise one of these; all peripherals are reported if it is empty.
    package var services: [UUID] = []
    /// Peripherals that solicit one of these services are reported, too.
    package var solicited: [UUID] = []
    /// Whether each advertisement is reported, not only the first of a peripheral.
    package var allowsDuplicates = false
    /// Whether peripherals are reported that are not discoverable.  Core Supplement, Part A, section 1.3.
    package var reportsUndiscoverable = true
    /// The weakest signal, in dBm.
    package var minimumRSSI: Int8?
    /// How the name or the address begins.
    package var prefix: String?

    package init() {}

    /// Whether a scan with these options reports an advertisement of a peripheral, which perhaps has a known name.
    func admits(_ advertisement: Advertisement, of peer: DeviceAddress, named name: String?, rssi: Int8) -> Bool {
        guard reportsUndiscoverable || advertisement.isDiscoverable else { return false }
        if let minimumRSSI, rssi < minimumRSSI || rssi == Self.unknownRSSI { return false }
        if let prefix, !"\(peer)".hasPrefix(prefix), name?.hasPrefix(prefix) != true { return false }
        return services.isEmpty && solicited.isEmpty || !advertisement.services.allSatisfy { !services.contains($0) }
            || !advertisement.solicited.allSatisfy { !solicited.contains($0) }
    }

    private static let unknownRSSI: Int8 = 127
}

/// How a program connects.
package struct ConnectionOptions: Equatable, Sendable {
    /// Whether the system connects again after the link was lost.
    package var reconnects = false

    package init() {}
}

/// An operation on the attributes or the link of a connected peripheral.
package enum CentralOperation: Equatable, Sendable {
    /// One procedure, as it is.
    indirect case procedure(Procedure)
    /// Enables or disables a characteristic's notifications or indications.  Its Client Characteristic Configuration is
    /// searched among `descriptors`; nil: the characteristic has no descriptors.
    case notify(Bool, value: UInt16, descriptors: HandleRange?, ClientConfiguration)
    /// Writes without response, as soon as the controller has room.
    case writeCommand(handle: UInt16, [UInt8])
    case readSignalStrength
    /// Needs no packet: it ends so, after the operations of the program's earlier requests have begun.
    case none(CentralFailure?)
}
