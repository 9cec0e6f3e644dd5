public import Bluetooth

/// What a host asks of a controller.  Core 6.0, Vol 4, Part E, section 7; layout in section 5.4.1:
///
/// | Octets | Field                  | Meaning                       |
/// |--------|------------------------|-------------------------------|
/// | 2      | Command_Opcode         | see `Opcode`                  |
/// | 1      | Parameter_Total_Length | of what follows               |
/// | 0–255  | Parameters             | see the cases                 |
///
/// The cases have the names of the opcodes, where their sections are.
public enum Command: Hashable, Sendable {
    /// Ends a connection; the peer is told the reason.
    case disconnect(handle: UInt16, reason: HCIStatus)
    /// Asks which version the peer's Link Layer has.
    case readRemoteVersionInformation(handle: UInt16)
    /// Says which events to send.
    case setEventMask(EventMask)
    /// Ends everything, and begins anew.
    case reset
    /// Whether the host counts the packets it gets: bit 0 for ACL, bit 1 for voice.
    case setControllerToHostFlowControl(UInt8)
    /// How much the host can take.
    case hostBufferSize(HostBufferSize)
    /// What the host has taken; the one command without an answer.
    case hostNumberOfCompletedPackets([CompletedPackets])
    /// Says which further events to send.
    case setEventMaskPage2(UInt64)
    /// Whether the host knows LE; for controllers that know more.
    case writeLEHostSupport(Bool)
    /// Asks for `LocalVersion`.
    case readLocalVersionInformation
    /// Asks for `SupportedCommands`.
    case readLocalSupportedCommands
    /// Asks for `LMPFeatures`.
    case readLocalSupportedFeatures
    /// Asks for a page of the LMP features.
    case readLocalExtendedFeatures(page: UInt8)
    /// Asks how much the controller can take, BR/EDR.
    case readBufferSize
    /// Asks for the public address.
    case readBDADDR
    /// Asks how strong the peer is heard.
    case readRSSI(handle: UInt16)
    /// Says which of LE's events to send.
    case leSetEventMask(LEEventMask)
    /// Asks for `LEBufferSize`.
    case leReadBufferSize
    /// Asks for `LEFeatures`.
    case leReadLocalSupportedFeatures
    /// Sets the address that `OwnAddress.random` means.
    case leSetRandomAddress(DeviceAddress)
    /// How to advertise.
    case leSetAdvertisingParameters(AdvertisingParameters)
    /// Asks how strongly the controller advertises.
    case leReadAdvertisingPhysicalChannelTxPower
    /// What to advertise: 31 octets at most, padded with zeros when sent.
    case leSetAdvertisingData([UInt8])
    /// What to answer to a scan request: 31 octets at most, padded with zeros when sent.
    case leSetScanResponseData([UInt8])
    /// Starts or ends advertising.
    case leSetAdvertisingEnable(Bool)
    /// How to scan.
    case leSetScanParameters(ScanParameters)
    /// Starts or ends scanning; with the filter, an advertiser is reported once.
    case leSetScanEnable(Bool, filterDuplicates: Bool)
    /// Connects as soon as the peer is heard.
    case leCreateConnection(ConnectionCreation)
    /// Connects no more.
    case leCreateConnectionCancel
    /// Asks how many devices the accept list holds.
    case leReadFilterAcceptListSize
    /// Empties the accept list.
    case leClearFilterAcceptList
    /// Puts a device on the accept list.
    case leAddDeviceToFilterAcceptList(DeviceAddress)
    /// Takes a device off the accept list.
    case leRemoveDeviceFromFilterAcceptList(DeviceAddress)
    /// Meets in another rhythm.
    case leConnectionUpdate(ConnectionUpdate)
    /// Which data channels may be used: 37 bits in 5 octets.
    case leSetHostChannelClassification([UInt8])
    /// Asks which data channels a connection uses.
    case leReadChannelMap(handle: UInt16)
    /// Asks which features the peer has.
    case leReadRemoteFeatures(handle: UInt16)
    /// AES-128 of 16 octets with a key of 16, the lowest octet first.
    case leEncrypt(key: [UInt8], plaintext: [UInt8])
    /// Asks for 8 octets of chance.
    case leRand
    /// Encrypts a connection, as its central.
    case leEnableEncryption(EncryptionStart)
    /// The key that the central means: 16 octets, the lowest first.
    case leLongTermKeyRequestReply(handle: UInt16, key: [UInt8])
    /// There is no key for this central.
    case leLongTermKeyRequestNegativeReply(handle: UInt16)
    /// Asks what the controller can do at the same time.
    case leReadSupportedStates
    /// Agrees to what the peer asked for.
    case leRemoteConnectionParameterRequestReply(ConnectionUpdate)
    /// Does not agree to what the peer asked for.
    case leRemoteConnectionParameterRequestNegativeReply(handle: UInt16, reason: HCIStatus)
    /// The largest data PDUs to send on a connection.
    case leSetDataLength(handle: UInt16, DataLength)
    /// Asks for the `DataLength` of new connections.
    case leReadSuggestedDefaultDataLength
    /// The `DataLength` of new connections.
    case leWriteSuggestedDefaultDataLength(DataLength)
    /// Empties the list of devices whose private addresses are resolved.
    case leClearResolvingList
    /// Asks how many devices the resolving list holds.
    case leReadResolvingListSize
    /// Whether the controller resolves private addresses.
    case leSetAddressResolutionEnable(Bool)
    /// How long the controller uses a private address.
    case leSetResolvablePrivateAddressTimeout(seconds: UInt16)
    /// Asks for the two `DataLength`s, to send and to receive, that the controller has.
    case leReadMaximumDataLength
    /// Asks which PHYs a connection uses.
    case leReadPHY(handle: UInt16)
    /// The PHYs of new connections.
    case leSetDefaultPHY(PHYPreference)
    /// Sets the address that `OwnAddress.random` means for an advertising set.
    case leSetAdvertisingSetRandomAddress(set: UInt8, DeviceAddress)
    /// How an advertising set advertises; makes the set.
    case leSetExtendedAdvertisingParameters(ExtendedAdvertisingParameters)
    /// What an advertising set advertises.
    case leSetExtendedAdvertisingData(ExtendedAdvertisingData)
    /// What an advertising set answers to a scan request.
    case leSetExtendedScanResponseData(ExtendedAdvertisingData)
    /// Starts or ends the advertising of sets.
    case leSetExtendedAdvertisingEnable(ExtendedAdvertisingEnable)
    /// Forgets an advertising set that does not advertise.
    case leRemoveAdvertisingSet(UInt8)
    /// How to scan, on which PHYs.
    case leSetExtendedScanParameters(ExtendedScanParameters)
    /// Starts or ends scanning.
    case leSetExtendedScanEnable(ExtendedScanEnable)
    /// Connects as soon as the peer is heard, on one of some PHYs.
    case leExtendedCreateConnection(ExtendedConnectionCreation)
    /// Asks how weakly and how strongly the controller can send.
    case leReadTransmitPower
    /// Asks for `LEBufferSize`, and for that of audio.
    case leReadBufferSizeV2
    /// A command that is not in this table, with its parameters; 255 octets at most.
    case unknown(Opcode, [UInt8])
}
