import Basics

/// A command or event of the kernel's Bluetooth Management API.  BlueZ, `doc/mgmt-api.txt`, "Packet Structures".
///
/// | octets | field                                        |
/// |--------|----------------------------------------------|
/// | 2      | opcode of the command, or code of the event  |
/// | 2      | index of the adapter; 0xFFFF: none           |
/// | 2      | length of the parameters                     |
/// | *n*    | parameters                                   |
struct ManagementPacket: Equatable {
    /// The index of packets that are not about an adapter.
    static let noAdapter: UInt16 = 0xFFFF

    let code: UInt16
    let adapter: UInt16
    let parameters: [UInt8]

    init(_ command: ManagementCommand, of adapter: UInt16 = noAdapter, _ parameters: [UInt8] = []) {
        (code, self.adapter, self.parameters) = (command.rawValue, adapter, parameters)
    }

    init(_ octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        (code, adapter) = (try reader.uint16("Event Code"), try reader.uint16("Controller Index"))
        let length = Int(try reader.uint16("Parameter Length"))
        parameters = Array(try reader.octets("Parameters", count: length))
    }

    var octets: [UInt8] {
        var octets: [UInt8] = []
        for field in [code, adapter, UInt16(truncatingIfNeeded: parameters.count)] { octets.append(field) }
        return octets + parameters
    }

    /// The answer to a command that this event is; nil if it is another event.
    ///
    /// Command Complete and Command Status Event: the command's opcode, a status, and what the command returns.
    func answer(
        to command: ManagementCommand, of adapter: UInt16
    ) throws(Malformed) -> Result<[UInt8], ManagementStatus>? {
        guard [0x0001, 0x0002].contains(code), self.adapter == adapter else { return nil }
        var reader = OctetReader(parameters)
        guard try reader.uint16("Command_Opcode") == command.rawValue else { return nil }
        let status = ManagementStatus(rawValue: try reader.uint8("Status"))
        return status == .success
            ? .success(Array(try reader.octets("Return_Parameters", count: reader.remaining))) : .failure(status)
    }
}

/// BlueZ, `doc/mgmt-api.txt`.
enum ManagementCommand: UInt16 {
    case readIndexList = 0x0003
    case readInformation = 0x0004
    case setPowered = 0x0005
    case getConnections = 0x0015
}

/// BlueZ, `doc/mgmt-api.txt`, "Error Codes".
struct ManagementStatus: RawRepresentable, Equatable, Error {
    let rawValue: UInt8

    static let success = Self(rawValue: 0x00)
    static let busy = Self(rawValue: 0x0A)
    static let notPowered = Self(rawValue: 0x0F)
    static let invalidIndex = Self(rawValue: 0x11)
    static let rfkilled = Self(rawValue: 0x12)
    static let permissionDenied = Self(rawValue: 0x14)
}
