import Bluetooth
public import Octets

extension Command {
    /// Reads a whole command packet; throws when a length is wrong or a parameter prohibited.  A command that
    /// is not in the table is `.unknown`.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let opcode = Opcode(rawValue: try reader.uint16("Command_Opcode"))
        try reader.parameterTotalLength()
        self =
            if let bare = Self.withoutParameters.first(where: { $0.opcode == opcode }) {
                bare
            } else if let command = try Self.basic(opcode, &reader) {
                command
            } else if let command = try Self.lowEnergy(opcode, &reader) {
                command
            } else if let command = try Self.extended(opcode, &reader) {
                command
            } else {
                .unknown(opcode, reader.rest())
            }
        try reader.finish()
    }

    private static let withoutParameters: [Command] = [
        .reset,
        .readLocalVersionInformation,
        .readLocalSupportedCommands,
        .readLocalSupportedFeatures,
        .readBufferSize,
        .readBDADDR,
        .leReadBufferSize,
        .leReadLocalSupportedFeatures,
        .leReadAdvertisingPhysicalChannelTxPower,
        .leCreateConnectionCancel,
        .leReadFilterAcceptListSize,
        .leClearFilterAcceptList,
        .leRand,
        .leReadSupportedStates,
        .leReadSuggestedDefaultDataLength,
        .leClearResolvingList,
        .leReadResolvingListSize,
        .leReadMaximumDataLength,
        .leReadTransmitPower,
        .leReadBufferSizeV2,
    ]

    private static func basic(_ opcode: Opcode, _ reader: inout OctetReader) throws(Malformed) -> Command? {
        switch opcode {
        case .disconnect: .disconnect(handle: try reader.handle(), reason: try reader.status("Reason"))
        case .readRemoteVersionInformation: .readRemoteVersionInformation(handle: try reader.handle())
        case .setEventMask: .setEventMask(EventMask(rawValue: try reader.uint64("Event_Mask")))
        case .setControllerToHostFlowControl: .setControllerToHostFlowControl(try reader.uint8("Flow_Control_Enable"))
        case .hostBufferSize: .hostBufferSize(try HostBufferSize(from: &reader))
        case .hostNumberOfCompletedPackets: .hostNumberOfCompletedPackets(try CompletedPackets.list(from: &reader))
        case .setEventMaskPage2: .setEventMaskPage2(try reader.uint64("Event_Mask_Page_2"))
        case .writeLEHostSupport: .writeLEHostSupport(try reader.leHostSupport())
        case .readLocalExtendedFeatures: .readLocalExtendedFeatures(page: try reader.uint8("Page_Number"))
        case .readRSSI: .readRSSI(handle: try reader.handle())
        default: nil
        }
    }

    private static func lowEnergy(_ opcode: Opcode, _ reader: inout OctetReader) throws(Malformed) -> Command? {
        switch opcode {
        case .leSetEventMask: .leSetEventMask(LEEventMask(rawValue: try reader.uint64("LE_Event_Mask")))
        case .leSetRandomAddress: .leSetRandomAddress(try DeviceAddress(kind: .random, from: &reader, "Random_Address"))
        case .leSetAdvertisingParameters: .leSetAdvertisingParameters(try AdvertisingParameters(from: &reader))
        case .leSetAdvertisingData: .leSetAdvertisingData(try reader.padded("Advertising_Data"))
        case .leSetScanResponseData: .leSetScanResponseData(try reader.padded("Scan_Response_Data"))
        case .leSetAdvertisingEnable: .leSetAdvertisingEnable(try reader.flag("Advertising_Enable"))
        case .leSetScanParameters: .leSetScanParameters(try ScanParameters(from: &reader))
        case .leSetScanEnable:
            .leSetScanEnable(
                try reader.flag("LE_Scan_Enable"), filterDuplicates: try reader.flag("Filter_Duplicates"))
        case .leCreateConnection: .leCreateConnection(try ConnectionCreation(from: &reader))
        case .leAddDeviceToFilterAcceptList: .leAddDeviceToFilterAcceptList(try reader.address("Address"))
        case .leRemoveDeviceFromFilterAcceptList: .leRemoveDeviceFromFilterAcceptList(try reader.address("Address"))
        case .leConnectionUpdate: .leConnectionUpdate(try ConnectionUpdate(from: &reader))
        case .leSetHostChannelClassification:
            .leSetHostChannelClassification(try reader.octets("Channel_Map", count: 5))
        case .leReadChannelMap: .leReadChannelMap(handle: try reader.handle())
        case .leReadRemoteFeatures: .leReadRemoteFeatures(handle: try reader.handle())
        case .leEncrypt:
            .leEncrypt(
                key: try reader.octets("Key", count: 16), plaintext: try reader.octets("Plaintext_Data", count: 16))
        case .leEnableEncryption: .leEnableEncryption(try EncryptionStart(from: &reader))
        case .leLongTermKeyRequestReply:
            .leLongTermKeyRequestReply(
                handle: try reader.handle(), key: try reader.octets("Long_Term_Key", count: 16))
        case .leLongTermKeyRequestNegativeReply: .leLongTermKeyRequestNegativeReply(handle: try reader.handle())
        case .leRemoteConnectionParameterRequestReply:
            .leRemoteConnectionParameterRequestReply(try ConnectionUpdate(from: &reader))
        case .leRemoteConnectionParameterRequestNegativeReply:
            .leRemoteConnectionParameterRequestNegativeReply(
                handle: try reader.handle(), reason: try reader.status("Reason"))
        case .leSetDataLength: .leSetDataLength(handle: try reader.handle(), try DataLength(from: &reader))
        case .leWriteSuggestedDefaultDataLength: .leWriteSuggestedDefaultDataLength(try DataLength(from: &reader))
        case .leSetAddressResolutionEnable: .leSetAddressResolutionEnable(try reader.flag("Address_Resolution_Enable"))
        case .leSetResolvablePrivateAddressTimeout:
            .leSetResolvablePrivateAddressTimeout(seconds: try reader.uint16("RPA_Timeout"))
        case .leReadPHY: .leReadPHY(handle: try reader.handle())
        case .leSetDefaultPHY: .leSetDefaultPHY(try PHYPreference(from: &reader))
        default: nil
        }
    }

    private static func extended(_ opcode: Opcode, _ reader: inout OctetReader) throws(Malformed) -> Command? {
        switch opcode {
        case .leSetAdvertisingSetRandomAddress:
            .leSetAdvertisingSetRandomAddress(
                set: try reader.uint8("Advertising_Handle"),
                try DeviceAddress(kind: .random, from: &reader, "Random_Address"))
        case .leSetExtendedAdvertisingParameters:
            .leSetExtendedAdvertisingParameters(try ExtendedAdvertisingParameters(from: &reader))
        case .leSetExtendedAdvertisingData: .leSetExtendedAdvertisingData(try ExtendedAdvertisingData(from: &reader))
        case .leSetExtendedScanResponseData: .leSetExtendedScanResponseData(try ExtendedAdvertisingData(from: &reader))
        case .leSetExtendedAdvertisingEnable:
            .leSetExtendedAdvertisingEnable(try ExtendedAdvertisingEnable(from: &reader))
        case .leRemoveAdvertisingSet: .leRemoveAdvertisingSet(try reader.uint8("Advertising_Handle"))
        case .leSetExtendedScanParameters: .leSetExtendedScanParameters(try ExtendedScanParameters(from: &reader))
        case .leSetExtendedScanEnable: .leSetExtendedScanEnable(try ExtendedScanEnable(from: &reader))
        case .leExtendedCreateConnection: .leExtendedCreateConnection(try ExtendedConnectionCreation(from: &reader))
        default: nil
        }
    }
}

extension OctetReader {
    /// Takes the length, and throws unless exactly so many octets are behind it.
    mutating func parameterTotalLength() throws(Malformed) {
        let count = Int(try uint8("Parameter_Total_Length"))
        if remaining < count { throw .tooShort(field: "Parameters", at: position, needs: count, has: remaining) }
        if remaining > count { throw .tooLong(at: position + count, surplus: remaining - count) }
    }

    /// A length up to 31 and 31 octets, of which so many count.
    fileprivate mutating func padded(_ field: String) throws(Malformed) -> [UInt8] {
        let at = position
        let count = try uint8(field + "_Length")
        guard count <= 31 else {
            throw .prohibited(field: field + "_Length", at: at, value: Int(count), allowed: "0 to 31")
        }
        return Array(try octets(field, count: 31).prefix(Int(count)))
    }

    fileprivate mutating func leHostSupport() throws(Malformed) -> Bool {
        let isSupported = try flag("LE_Supported_Host")
        _ = try uint8("Unused")
        return isSupported
    }
}
