public import Bluetooth

// Every kind of event, declared once: code or subevent code, name, fields.  To add one, declare it here and add it to
// `kinds`.  Sections are those of Core 6.0, Vol 4, Part E.
extension Event {
    /// All kinds of events, in the order of their codes.
    public static let kinds: [any AnyEventKind] = [
        disconnectionComplete, encryptionChange, readRemoteVersionInformationComplete, commandComplete,
        commandStatus, hardwareError, numberOfCompletedPackets, dataBufferOverflow,
        encryptionKeyRefreshComplete, leConnectionComplete, leAdvertisingReport, leConnectionUpdateComplete,
        leReadRemoteFeaturesComplete, leLongTermKeyRequest, leRemoteConnectionParameterRequest,
        leDataLengthChange, leReadLocalP256PublicKeyComplete, leGenerateDHKeyComplete, leEnhancedConnectionComplete,
        lePHYUpdateComplete, leExtendedAdvertisingReport,
        leAdvertisingSetTerminated, leChannelSelectionAlgorithm,
    ]

    // MARK: Events, section 7.7

    /// A connection has ended, for this reason; or could not be ended.  Section 7.7.5.
    public static let disconnectionComplete = EventKind(
        0x05, "Disconnection_Complete", .status, .handle, .status("Reason"))
    /// A connection is encrypted from now on (1 or 2), or not (0).  Section 7.7.8.
    public static let encryptionChange = EventKind(
        0x08, "Encryption_Change", .status, .handle, .uint8("Encryption_Enabled"))
    /// The version of the peer's Link Layer, its company identifier and subversion.  Section 7.7.12.
    public static let readRemoteVersionInformationComplete = EventKind(
        0x0C, "Read_Remote_Version_Information_Complete", .status, .handle, .uint8("Version"),
        .uint16("Company_Identifier"), .uint16("Subversion"))
    /// A command has been carried out; how many more commands may be sent, and the return parameters.  Section 7.7.14.
    public static let commandComplete = EventKind(
        0x0E, "Command_Complete", .uint8("Num_HCI_Command_Packets"), .opcode, .rest)
    /// A command is rejected, or has begun and ends with another event.  Section 7.7.15.
    public static let commandStatus = EventKind(
        0x0F, "Command_Status", .status, .uint8("Num_HCI_Command_Packets"), .opcode)
    /// The controller failed; the code is the vendor's.  Section 7.7.16.
    public static let hardwareError = EventKind(0x10, "Hardware_Error", .uint8("Hardware_Code"))
    /// The controller has free buffers again.  Section 7.7.19.
    public static let numberOfCompletedPackets = EventKind(
        0x13, "Number_Of_Completed_Packets", .list("Num_Handles", of: CompletedPackets.self))
    /// The host has sent more than the controller can hold; type 1: ACL data.  Section 7.7.26.
    public static let dataBufferOverflow = EventKind(0x1A, "Data_Buffer_Overflow", .uint8("Link_Type"))
    /// A connection uses a new key from now on.  Section 7.7.39.
    public static let encryptionKeyRefreshComplete = EventKind(
        0x30, "Encryption_Key_Refresh_Complete", .status, .handle)

    // MARK: LE Meta events, section 7.7.65

    /// A connection was made, or connecting failed.  Section 7.7.65.1.
    public static let leConnectionComplete = EventKind(
        subevent: 0x01, "LE_Connection_Complete", .status, .parameters(ConnectionComplete.self))
    /// A scanner received advertising.  Section 7.7.65.2.
    public static let leAdvertisingReport = EventKind(
        subevent: 0x02, "LE_Advertising_Report", .list("Num_Reports", of: AdvertisingReport.self))
    /// A connection has other parameters from now on, or the request failed.  Section 7.7.65.3.
    public static let leConnectionUpdateComplete = EventKind(
        subevent: 0x03, "LE_Connection_Update_Complete", .status, .handle, .parameters(ConnectionTiming.self))
    /// The features of the peer's Link Layer.  Section 7.7.65.4.
    public static let leReadRemoteFeaturesComplete = EventKind(
        subevent: 0x04, "LE_Read_Remote_Features_Complete", .status, .handle, .parameters(LEFeatures.self))
    /// The central starts encryption with the key that these two numbers identify.  Section 7.7.65.5.
    public static let leLongTermKeyRequest = EventKind(
        subevent: 0x05, "LE_Long_Term_Key_Request", .handle, .uint64("Random_Number"), .uint16("Encrypted_Diversifier"))
    /// The peer requests other connection parameters.  Section 7.7.65.6.
    public static let leRemoteConnectionParameterRequest = EventKind(
        subevent: 0x06, "LE_Remote_Connection_Parameter_Request", .handle, .parameters(ConnectionParameters.self))
    /// Data PDUs have other limits, to send and to receive.  Section 7.7.65.7.
    public static let leDataLengthChange = EventKind(
        subevent: 0x07, "LE_Data_Length_Change", .handle, .parameters(DataLength.self), .parameters(DataLength.self))
    /// The public key of a new key pair, least significant octet first.  Section 7.7.65.8.
    public static let leReadLocalP256PublicKeyComplete = EventKind(
        subevent: 0x08, "LE_Read_Local_P-256_Public_Key_Complete", .status, .octets("Key_X_Coordinate", count: 32),
        .octets("Key_Y_Coordinate", count: 32))
    /// The DHKey, least significant octet first.  Section 7.7.65.9.
    public static let leGenerateDHKeyComplete = EventKind(
        subevent: 0x09, "LE_Generate_DHKey_Complete", .status, .octets("DH_Key", count: 32))
    /// As `leConnectionComplete`, with the private addresses of both sides.  Section 7.7.65.10.
    public static let leEnhancedConnectionComplete = EventKind(
        subevent: 0x0A, "LE_Enhanced_Connection_Complete", .status, .parameters(EnhancedConnectionComplete.self))
    /// The PHYs to send and to receive with: 1 and 2 Msymbol/s, 3 coded.  Section 7.7.65.12.
    public static let lePHYUpdateComplete = EventKind(
        subevent: 0x0C, "LE_PHY_Update_Complete", .status, .handle, .uint8("TX_PHY"), .uint8("RX_PHY"))
    /// A scanner of `leSetExtendedScanEnable` received advertising.  Section 7.7.65.13.
    public static let leExtendedAdvertisingReport = EventKind(
        subevent: 0x0D, "LE_Extended_Advertising_Report", .list("Num_Reports", of: ExtendedAdvertisingReport.self))
    /// A set stopped advertising: it is connected (success), or its time is over; the number of its events is 0 without a
    /// limit.  Section 7.7.65.18.
    public static let leAdvertisingSetTerminated = EventKind(
        subevent: 0x12, "LE_Advertising_Set_Terminated", .status, .uint8("Advertising_Handle"), .handle,
        .uint8("Num_Completed_Extended_Advertising_Events"))
    /// The algorithm that a connection uses: 0 for #1, 1 for #2.  Section 7.7.65.20.
    public static let leChannelSelectionAlgorithm = EventKind(
        subevent: 0x14, "LE_Channel_Selection_Algorithm", .handle, .uint8("Channel_Selection_Algorithm"))
}
