import Bluetooth
public import Octets

extension Event {
    /// Reads a whole event packet; throws when a length is wrong or a parameter prohibited.  An event that
    /// is not in the table is `.unknown`.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let code = try reader.uint8("Event_Code")
        try reader.parameterTotalLength()
        self = try Self.basic(code, &reader)
        try reader.finish()
    }

    private static func basic(_ code: UInt8, _ reader: inout OctetReader) throws(Malformed) -> Event {
        switch code {
        case 0x05:
            .disconnectionComplete(
                try reader.status(), handle: try reader.handle(), reason: try reader.status("Reason"))
        case 0x08:
            .encryptionChange(
                try reader.status(), handle: try reader.handle(), enabled: try reader.uint8("Encryption_Enabled"))
        case 0x0C:
            .readRemoteVersionInformationComplete(
                try reader.status(), handle: try reader.handle(), try RemoteVersion(from: &reader))
        case 0x0E:
            .commandComplete(
                allowed: try reader.uint8("Num_HCI_Command_Packets"), try reader.opcode(), returned: reader.rest())
        case 0x0F:
            .commandStatus(
                try reader.status(), allowed: try reader.uint8("Num_HCI_Command_Packets"), try reader.opcode())
        case 0x10: .hardwareError(try reader.uint8("Hardware_Code"))
        case 0x13: .numberOfCompletedPackets(try CompletedPackets.list(from: &reader))
        case 0x1A: .dataBufferOverflow(linkType: try reader.uint8("Link_Type"))
        case 0x30: .encryptionKeyRefreshComplete(try reader.status(), handle: try reader.handle())
        case 0x3E: try lowEnergy(try reader.uint8("Subevent_Code"), &reader)
        default: .unknown(code: code, reader.rest())
        }
    }

    private static func lowEnergy(_ subevent: UInt8, _ reader: inout OctetReader) throws(Malformed) -> Event {
        switch subevent {
        case 0x01: .leConnectionComplete(try reader.status(), try ConnectionComplete(from: &reader) { _ in })
        case 0x02: .leAdvertisingReport(try reader.reports())
        case 0x03:
            .leConnectionUpdateComplete(
                try reader.status(), handle: try reader.handle(), try ConnectionTiming(from: &reader))
        case 0x04:
            .leReadRemoteFeaturesComplete(
                try reader.status(), handle: try reader.handle(), try LEFeatures(from: &reader))
        case 0x05:
            .leLongTermKeyRequest(
                handle: try reader.handle(), random: try reader.uint64("Random_Number"),
                diversifier: try reader.uint16("Encrypted_Diversifier"))
        case 0x06:
            .leRemoteConnectionParameterRequest(
                handle: try reader.handle(), try ConnectionParameters(from: &reader))
        case 0x07:
            .leDataLengthChange(
                handle: try reader.handle(), sending: try DataLength(from: &reader),
                receiving: try DataLength(from: &reader))
        case 0x0A: try enhancedConnectionComplete(&reader)
        case 0x0C:
            .lePHYUpdateComplete(
                try reader.status(), handle: try reader.handle(), sending: try reader.uint8("TX_PHY"),
                receiving: try reader.uint8("RX_PHY"))
        case 0x0D: .leExtendedAdvertisingReport(try reader.reports())
        case 0x12:
            .leAdvertisingSetTerminated(try reader.status(), try AdvertisingSetTermination(from: &reader))
        case 0x14:
            .leChannelSelectionAlgorithm(
                handle: try reader.handle(), try reader.uint8("Channel_Selection_Algorithm"))
        default: .unknown(code: 0x3E, [subevent] + reader.rest())
        }
    }

    private static func enhancedConnectionComplete(_ reader: inout OctetReader) throws(Malformed) -> Event {
        let status = try reader.status()
        var local: UInt64 = 0
        var peer: UInt64 = 0
        let connection = try ConnectionComplete(from: &reader) { reader throws(Malformed) in
            local = try reader.privateAddress("Local_Resolvable_Private_Address")
            peer = try reader.privateAddress("Peer_Resolvable_Private_Address")
        }
        return .leEnhancedConnectionComplete(status, connection, localPrivate: local, peerPrivate: peer)
    }
}

extension ConnectionComplete {
    /// Takes 17 octets, and what `between` takes behind the peer's address.
    fileprivate init(
        from reader: inout OctetReader, _ between: (inout OctetReader) throws(Malformed) -> Void
    ) throws(Malformed) {
        handle = try reader.handle()
        role = try reader.choice(Role.self, "Role", allowed: "0 or 1")
        peer = try reader.address("Peer_Address")
        try between(&reader)
        timing = try ConnectionTiming(from: &reader)
        clockAccuracy = try reader.uint8("Central_Clock_Accuracy")
    }
}

extension OctetReader {
    fileprivate mutating func opcode() throws(Malformed) -> Opcode {
        Opcode(rawValue: try uint16("Command_Opcode"))
    }

    fileprivate mutating func privateAddress(_ field: String) throws(Malformed) -> UInt64 {
        try DeviceAddress(kind: .random, from: &self, field).number
    }

    /// The reports one after the other, each with all its fields: section 5.2 on arrayed parameters.
    fileprivate mutating func reports<Report: Parameters>() throws(Malformed) -> [Report] {
        var reports: [Report] = []
        for _ in 0..<(try uint8("Num_Reports")) { reports.append(try Report(from: &self)) }
        return reports
    }
}
