public import Bluetooth

// Every kind of command, declared once: opcode, name, bit of Supported Commands, fields.  To add one, declare it here
// and add it to `kinds`.  Sections are those of Core 6.0, Vol 4, Part E.
extension Command {
    /// All kinds of commands, in the order of their opcodes.
    public static let kinds: [any AnyCommandKind] = [
        disconnect, readRemoteVersionInformation, setEventMask, reset, setControllerToHostFlowControl,
        hostBufferSize, hostNumberOfCompletedPackets, setEventMaskPage2, writeLEHostSupport,
        readLocalVersionInformation, readLocalSupportedCommands, readLocalSupportedFeatures,
        readLocalExtendedFeatures, readBufferSize, readBDADDR, readRSSI, leSetEventMask, leReadBufferSize,
        leReadLocalSupportedFeatures, leSetRandomAddress, leSetAdvertisingParameters,
        leReadAdvertisingPhysicalChannelTxPower, leSetAdvertisingData, leSetScanResponseData,
        leSetAdvertisingEnable, leSetScanParameters, leSetScanEnable, leCreateConnection,
        leCreateConnectionCancel, leReadFilterAcceptListSize, leClearFilterAcceptList,
        leAddDeviceToFilterAcceptList, leRemoveDeviceFromFilterAcceptList, leConnectionUpdate,
        leSetHostChannelClassification, leReadChannelMap, leReadRemoteFeatures, leEncrypt, leRand,
        leEnableEncryption, leLongTermKeyRequestReply, leLongTermKeyRequestNegativeReply,
        leReadSupportedStates, leRemoteConnectionParameterRequestReply,
        leRemoteConnectionParameterRequestNegativeReply, leSetDataLength, leReadSuggestedDefaultDataLength,
        leWriteSuggestedDefaultDataLength, leReadLocalP256PublicKey, leGenerateDHKey,
        leAddDeviceToResolvingList, leRemoveDeviceFromResolvingList, leClearResolvingList, leReadResolvingListSize,
        leReadPeerResolvableAddress, leReadLocalResolvableAddress, leSetAddressResolutionEnable,
        leSetResolvablePrivateAddressTimeout, leReadMaximumDataLength, leReadPHY, leSetDefaultPHY,
        leSetAdvertisingSetRandomAddress, leSetExtendedAdvertisingParameters,
        leSetExtendedAdvertisingData, leSetExtendedScanResponseData, leSetExtendedAdvertisingEnable,
        leRemoveAdvertisingSet, leSetExtendedScanParameters, leSetExtendedScanEnable,
        leExtendedCreateConnection, leReadTransmitPower, leSetPrivacyMode, leGenerateDHKeyV2, leReadBufferSizeV2,
    ]

    // MARK: Link Control, section 7.1

    /// Ends a connection; the reason goes to the peer.  Section 7.1.6.
    public static let disconnect = CommandKind(0x0406, "Disconnect", supported: (0, 5), .handle, .status("Reason"))
    /// Requests the version of the peer's Link Layer.  Section 7.1.23.
    public static let readRemoteVersionInformation = CommandKind(
        0x041D, "Read_Remote_Version_Information", supported: (2, 7), .handle)

    // MARK: Controller and Baseband, section 7.3

    /// Selects the events that the controller sends.  Section 7.3.1.
    public static let setEventMask = CommandKind(
        0x0C01, "Set_Event_Mask", supported: (5, 6), .mask("Event_Mask", EventMask.self))
    /// Ends everything and restores the defaults.  Section 7.3.2.
    public static let reset = CommandKind(0x0C03, "Reset", supported: (5, 7))
    /// Bit 0: the host acknowledges ACL packets; bit 1: synchronous packets.  Section 7.3.38.
    public static let setControllerToHostFlowControl = CommandKind(
        0x0C31, "Set_Controller_To_Host_Flow_Control", supported: (10, 5), .uint8("Flow_Control_Enable"))
    /// States the buffers of the host.  Section 7.3.39.
    public static let hostBufferSize = CommandKind(
        0x0C33, "Host_Buffer_Size", supported: (10, 6), .parameters(HostBufferSize.self))
    /// Acknowledges packets; the one command that is not answered.  Section 7.3.40.
    public static let hostNumberOfCompletedPackets = CommandKind(
        0x0C35, "Host_Number_Of_Completed_Packets", supported: (10, 7), .list("Num_Handles", of: CompletedPackets.self))
    /// Selects further events.  Section 7.3.69.
    public static let setEventMaskPage2 = CommandKind(
        0x0C63, "Set_Event_Mask_Page_2", supported: (22, 2), .uint64("Event_Mask_Page_2"))
    /// Whether the host supports LE, for a dual-mode controller.  Section 7.3.79.
    public static let writeLEHostSupport = CommandKind(
        0x0C6D, "Write_LE_Host_Support", supported: (24, 6), .flag("LE_Supported_Host"), .uint8("Unused"))

    // MARK: Informational Parameters, section 7.4

    /// Returns `LocalVersion`.  Section 7.4.1.
    public static let readLocalVersionInformation = CommandKind(
        0x1001, "Read_Local_Version_Information", supported: (14, 3))
    /// Returns `SupportedCommands`.  Section 7.4.2.
    public static let readLocalSupportedCommands = CommandKind(0x1002, "Read_Local_Supported_Commands", supported: nil)
    /// Returns `LMPFeatures`.  Section 7.4.3.
    public static let readLocalSupportedFeatures = CommandKind(
        0x1003, "Read_Local_Supported_Features", supported: (14, 5))
    /// Returns one page of the LMP features.  Section 7.4.4.
    public static let readLocalExtendedFeatures = CommandKind(
        0x1004, "Read_Local_Extended_Features", supported: (14, 6), .uint8("Page_Number"))
    /// Returns the BR/EDR buffers, in the layout of `HostBufferSize`.  Section 7.4.5.
    public static let readBufferSize = CommandKind(0x1005, "Read_Buffer_Size", supported: (14, 7))
    /// Returns the public address, 6 octets.  Section 7.4.6.
    public static let readBDADDR = CommandKind(0x1009, "Read_BD_ADDR", supported: (15, 1))

    // MARK: Status Parameters, section 7.5

    /// Returns `LinkRSSI`.  Section 7.5.4.
    public static let readRSSI = CommandKind(0x1405, "Read_RSSI", supported: (15, 5), .handle)

    // MARK: LE Controller, section 7.8

    /// Selects the LE events that the controller sends.  Section 7.8.1.
    public static let leSetEventMask = CommandKind(
        0x2001, "LE_Set_Event_Mask", supported: (25, 0), .mask("LE_Event_Mask", LEEventMask.self))
    /// Returns `LEBufferSize`.  Section 7.8.2.
    public static let leReadBufferSize = CommandKind(0x2002, "LE_Read_Buffer_Size", supported: (25, 1))
    /// Returns `LEFeatures`.  Section 7.8.3.
    public static let leReadLocalSupportedFeatures = CommandKind(
        0x2003, "LE_Read_Local_Supported_Features", supported: (25, 2))
    /// Sets the address that `OwnAddress.random` means.  Section 7.8.4.
    public static let leSetRandomAddress = CommandKind(
        0x2005, "LE_Set_Random_Address", supported: (25, 4), .randomAddress("Random_Address"))
    /// Sets how to advertise.  Section 7.8.5.
    public static let leSetAdvertisingParameters = CommandKind(
        0x2006, "LE_Set_Advertising_Parameters", supported: (25, 5), .parameters(AdvertisingParameters.self))
    /// Returns the transmit power of advertising: 1 octet, dBm.  Section 7.8.6.
    public static let leReadAdvertisingPhysicalChannelTxPower = CommandKind(
        0x2007, "LE_Read_Advertising_Physical_Channel_Tx_Power", supported: (25, 6))
    /// Sets the advertising data, 31 octets at most.  Section 7.8.7.
    public static let leSetAdvertisingData = CommandKind(
        0x2008, "LE_Set_Advertising_Data", supported: (25, 7), .advertisingData("Advertising_Data"))
    /// Sets the scan response data, 31 octets at most.  Section 7.8.8.
    public static let leSetScanResponseData = CommandKind(
        0x2009, "LE_Set_Scan_Response_Data", supported: (26, 0), .advertisingData("Scan_Response_Data"))
    /// Starts or stops advertising.  Section 7.8.9.
    public static let leSetAdvertisingEnable = CommandKind(
        0x200A, "LE_Set_Advertising_Enable", supported: (26, 1), .flag("Advertising_Enable"))
    /// Sets how to scan.  Section 7.8.10.
    public static let leSetScanParameters = CommandKind(
        0x200B, "LE_Set_Scan_Parameters", supported: (26, 2), .parameters(ScanParameters.self))
    /// Starts or stops scanning; the filter lets each advertiser be reported once.  Section 7.8.11.
    public static let leSetScanEnable = CommandKind(
        0x200C, "LE_Set_Scan_Enable", supported: (26, 3), .flag("LE_Scan_Enable"), .flag("Filter_Duplicates"))
    /// Connects as soon as the peer advertises.  Section 7.8.12.
    public static let leCreateConnection = CommandKind(
        0x200D, "LE_Create_Connection", supported: (26, 4), .parameters(ConnectionCreation.self))
    /// Stops connecting.  Section 7.8.13.
    public static let leCreateConnectionCancel = CommandKind(0x200E, "LE_Create_Connection_Cancel", supported: (26, 5))
    /// Returns the capacity of the accept list, 1 octet.  Section 7.8.14.
    public static let leReadFilterAcceptListSize = CommandKind(
        0x200F, "LE_Read_Filter_Accept_List_Size", supported: (26, 6))
    /// Empties the accept list.  Section 7.8.15.
    public static let leClearFilterAcceptList = CommandKind(0x2010, "LE_Clear_Filter_Accept_List", supported: (26, 7))
    /// Adds a device to the accept list.  Section 7.8.16.
    public static let leAddDeviceToFilterAcceptList = CommandKind(
        0x2011, "LE_Add_Device_To_Filter_Accept_List", supported: (27, 0), .address("Address"))
    /// Removes a device from the accept list.  Section 7.8.17.
    public static let leRemoveDeviceFromFilterAcceptList = CommandKind(
        0x2012, "LE_Remove_Device_From_Filter_Accept_List", supported: (27, 1), .address("Address"))
    /// Requests other connection parameters.  Section 7.8.18.
    public static let leConnectionUpdate = CommandKind(
        0x2013, "LE_Connection_Update", supported: (27, 2), .parameters(ConnectionUpdate.self))
    /// States which of the 37 data channels may be used.  Section 7.8.19.
    public static let leSetHostChannelClassification = CommandKind(
        0x2014, "LE_Set_Host_Channel_Classification", supported: (27, 3), .octets("Channel_Map", count: 5))
    /// Returns the data channels that a connection uses.  Section 7.8.20.
    public static let leReadChannelMap = CommandKind(0x2015, "LE_Read_Channel_Map", supported: (27, 4), .handle)
    /// Requests the features of the peer's Link Layer.  Section 7.8.21.
    public static let leReadRemoteFeatures = CommandKind(0x2016, "LE_Read_Remote_Features", supported: (27, 5), .handle)
    /// Encrypts a block with AES-128, least significant octet first; returns `EncryptedBlock`.  Section 7.8.22.
    public static let leEncrypt = CommandKind(
        0x2017, "LE_Encrypt", supported: (27, 6), .octets("Key", count: 16), .octets("Plaintext_Data", count: 16))
    /// Returns `RandomNumber`.  Section 7.8.23.
    public static let leRand = CommandKind(0x2018, "LE_Rand", supported: (27, 7))
    /// Encrypts a connection, as its central; the key is sent least significant octet first.  Section 7.8.24.
    public static let leEnableEncryption = CommandKind(
        0x2019, "LE_Enable_Encryption", supported: (28, 0), .handle, .uint64("Random_Number"),
        .uint16("Encrypted_Diversifier"), .octets("Long_Term_Key", count: 16))
    /// Answers with the key, least significant octet first.  Section 7.8.25.
    public static let leLongTermKeyRequestReply = CommandKind(
        0x201A, "LE_Long_Term_Key_Request_Reply", supported: (28, 1), .handle, .octets("Long_Term_Key", count: 16))
    /// Answers that the host has no such key.  Section 7.8.26.
    public static let leLongTermKeyRequestNegativeReply = CommandKind(
        0x201B, "LE_Long_Term_Key_Request_Negative_Reply", supported: (28, 2), .handle)
    /// Returns the combinations of states that are possible, 8 octets.  Section 7.8.27.
    public static let leReadSupportedStates = CommandKind(0x201C, "LE_Read_Supported_States", supported: (28, 3))
    /// Accepts the parameters that the peer requests.  Section 7.8.31.
    public static let leRemoteConnectionParameterRequestReply = CommandKind(
        0x2020, "LE_Remote_Connection_Parameter_Request_Reply", supported: (33, 4), .parameters(ConnectionUpdate.self))
    /// Rejects the parameters that the peer requests.  Section 7.8.32.
    public static let leRemoteConnectionParameterRequestNegativeReply = CommandKind(
        0x2021, "LE_Remote_Connection_Parameter_Request_Negative_Reply", supported: (33, 5), .handle, .status("Reason"))
    /// Sets the largest data PDU to send on a connection.  Section 7.8.33.
    public static let leSetDataLength = CommandKind(
        0x2022, "LE_Set_Data_Length", supported: (33, 6), .handle, .parameters(DataLength.self))
    /// Returns the `DataLength` of new connections.  Section 7.8.34.
    public static let leReadSuggestedDefaultDataLength = CommandKind(
        0x2023, "LE_Read_Suggested_Default_Data_Length", supported: (33, 7))
    /// Sets the `DataLength` of new connections.  Section 7.8.35.
    public static let leWriteSuggestedDefaultDataLength = CommandKind(
        0x2024, "LE_Write_Suggested_Default_Data_Length", supported: (34, 0), .parameters(DataLength.self))
    /// Generates a key pair; its public key comes in an event.  Section 7.8.36.
    public static let leReadLocalP256PublicKey = CommandKind(
        0x2025, "LE_Read_Local_P-256_Public_Key", supported: (34, 1))
    /// Computes the DHKey of that pair and the peer's public key, least significant octet first.  Section 7.8.37.
    public static let leGenerateDHKey = CommandKind(
        0x2026, "LE_Generate_DHKey", supported: (34, 2), .octets("Key_X_Coordinate", count: 32),
        .octets("Key_Y_Coordinate", count: 32))
    /// Adds a device, by its identity address, with its IRK and the one that is used with it, each the least significant
    /// octet first; all zeros: none.  Section 7.8.38.
    public static let leAddDeviceToResolvingList = CommandKind(
        0x2027, "LE_Add_Device_To_Resolving_List", supported: (34, 3), .address("Peer_Identity_Address"),
        .octets("Peer_IRK", count: 16), .octets("Local_IRK", count: 16))
    /// Removes a device, by its identity address.  Section 7.8.39.
    public static let leRemoveDeviceFromResolvingList = CommandKind(
        0x2028, "LE_Remove_Device_From_Resolving_List", supported: (34, 4), .address("Peer_Identity_Address"))
    /// Empties the list of devices whose private addresses are resolved.  Section 7.8.40.
    public static let leClearResolvingList = CommandKind(0x2029, "LE_Clear_Resolving_List", supported: (34, 5))
    /// Returns the capacity of the resolving list, 1 octet.  Section 7.8.41.
    public static let leReadResolvingListSize = CommandKind(0x202A, "LE_Read_Resolving_List_Size", supported: (34, 6))
    /// Returns the private address that a device on the list used last, 6 octets.  Section 7.8.42.
    public static let leReadPeerResolvableAddress = CommandKind(
        0x202B, "LE_Read_Peer_Resolvable_Address", supported: (34, 7), .address("Peer_Identity_Address"))
    /// Returns the private address that the controller uses with a device on the list, 6 octets.  Section 7.8.43.
    public static let leReadLocalResolvableAddress = CommandKind(
        0x202C, "LE_Read_Local_Resolvable_Address", supported: (35, 0), .address("Peer_Identity_Address"))
    /// Whether the controller resolves private addresses.  Section 7.8.44.
    public static let leSetAddressResolutionEnable = CommandKind(
        0x202D, "LE_Set_Address_Resolution_Enable", supported: (35, 1), .flag("Address_Resolution_Enable"))
    /// Sets how long the controller uses a private address, in seconds.  Section 7.8.45.
    public static let leSetResolvablePrivateAddressTimeout = CommandKind(
        0x202E, "LE_Set_Resolvable_Private_Address_Timeout", supported: (35, 2), .uint16("RPA_Timeout"))
    /// Returns the maximum `DataLength`s, to send and to receive.  Section 7.8.46.
    public static let leReadMaximumDataLength = CommandKind(0x202F, "LE_Read_Maximum_Data_Length", supported: (35, 3))
    /// Returns the PHYs of a connection.  Section 7.8.47.
    public static let leReadPHY = CommandKind(0x2030, "LE_Read_PHY", supported: (35, 4), .handle)
    /// Sets the PHYs of new connections; bit 0: 1 Msymbol/s, bit 1: 2 Msymbol/s, bit 2: coded.  Section 7.8.48.
    public static let leSetDefaultPHY = CommandKind(
        0x2031, "LE_Set_Default_PHY", supported: (35, 5), .uint8("All_PHYs"), .uint8("TX_PHYs"), .uint8("RX_PHYs"))
    /// Sets the address that `OwnAddress.random` means in an advertising set.  Section 7.8.52.
    public static let leSetAdvertisingSetRandomAddress = CommandKind(
        0x2035, "LE_Set_Advertising_Set_Random_Address", supported: (36, 1), .uint8("Advertising_Handle"),
        .randomAddress("Random_Address"))
    /// Creates an advertising set, or changes how it advertises.  Section 7.8.53.
    public static let leSetExtendedAdvertisingParameters = CommandKind(
        0x2036, "LE_Set_Extended_Advertising_Parameters", supported: (36, 2),
        .parameters(ExtendedAdvertisingParameters.self))
    /// Sets the advertising data of a set.  Section 7.8.54.
    public static let leSetExtendedAdvertisingData = CommandKind(
        0x2037, "LE_Set_Extended_Advertising_Data", supported: (36, 3), .parameters(ExtendedAdvertisingData.self))
    /// Sets the scan response data of a set.  Section 7.8.55.
    public static let leSetExtendedScanResponseData = CommandKind(
        0x2038, "LE_Set_Extended_Scan_Response_Data", supported: (36, 4), .parameters(ExtendedAdvertisingData.self))
    /// Starts or stops advertising sets.  Section 7.8.56.
    public static let leSetExtendedAdvertisingEnable = CommandKind(
        0x2039, "LE_Set_Extended_Advertising_Enable", supported: (36, 5), .parameters(ExtendedAdvertisingEnable.self))
    /// Removes an advertising set that does not advertise.  Section 7.8.59.
    public static let leRemoveAdvertisingSet = CommandKind(
        0x203C, "LE_Remove_Advertising_Set", supported: (37, 0), .uint8("Advertising_Handle"))
    /// Sets how to scan on each PHY.  Section 7.8.64.
    public static let leSetExtendedScanParameters = CommandKind(
        0x2041, "LE_Set_Extended_Scan_Parameters", supported: (37, 5), .parameters(ExtendedScanParameters.self))
    /// Starts or stops scanning.  Section 7.8.65.
    public static let leSetExtendedScanEnable = CommandKind(
        0x2042, "LE_Set_Extended_Scan_Enable", supported: (37, 6), .parameters(ExtendedScanEnable.self))
    /// Connects on one of several PHYs, as soon as the peer advertises.  Section 7.8.66.
    public static let leExtendedCreateConnection = CommandKind(
        0x2043, "LE_Extended_Create_Connection", supported: (37, 7), .parameters(ExtendedConnectionCreation.self))
    /// Returns the minimum and maximum transmit power, 1 octet each, dBm.  Section 7.8.74.
    public static let leReadTransmitPower = CommandKind(0x204B, "LE_Read_Transmit_Power", supported: (38, 7))
    /// Whether a device on the list must use private addresses (0, network privacy mode), or may also use its identity
    /// address (1, device privacy mode).  Section 7.8.77.
    public static let leSetPrivacyMode = CommandKind(
        0x204E, "LE_Set_Privacy_Mode", supported: (39, 2), .address("Peer_Identity_Address"), .flag("Privacy_Mode"))
    /// As `leGenerateDHKey`; with the last parameter, of the debug key pair.  Section 7.8.37.
    public static let leGenerateDHKeyV2 = CommandKind(
        0x205E, "LE_Generate_DHKey_V2", supported: (41, 2), .octets("Key_X_Coordinate", count: 32),
        .octets("Key_Y_Coordinate", count: 32), .flag("Key_Type"))
    /// Returns `LEBufferSize`, and the same for isochronous data.  Section 7.8.2.
    public static let leReadBufferSizeV2 = CommandKind(0x2060, "LE_Read_Buffer_Size_V2", supported: (41, 5))
}
