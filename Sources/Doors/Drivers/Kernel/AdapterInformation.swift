import Basics

/// What the kernel reports about an adapter.  BlueZ, `doc/mgmt-api.txt`, "Read Controller Information Command".
///
/// | octets | field               |
/// |--------|---------------------|
/// | 6      | Address             |
/// | 1      | Bluetooth_Version   |
/// | 2      | Manufacturer        |
/// | 4      | Supported_Settings  |
/// | 4      | Current_Settings    |
/// | 3      | Class_Of_Device     |
/// | 249    | Name                |
/// | 11     | Short_Name          |
struct AdapterInformation: Equatable {
    /// Bits of the settings.
    private enum Setting {
        static let powered: UInt32 = 1 << 0
        static let lowEnergy: UInt32 = 1 << 9
    }

    let isPowered: Bool
    let supportsLowEnergy: Bool
}

extension AdapterInformation {
    init(_ octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        _ = try reader.uint48("Address")
        _ = try reader.uint8("Bluetooth_Version")
        _ = try reader.uint16("Manufacturer")
        supportsLowEnergy = try reader.uint32("Supported_Settings") & Setting.lowEnergy != 0
        isPowered = try reader.uint32("Current_Settings") & Setting.powered != 0
    }
}
