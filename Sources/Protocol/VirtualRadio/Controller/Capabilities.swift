import HCI

/// The capabilities of a virtual controller, in one place, so that features, commands and events agree.
///
/// An LE-only controller of version 5.0 with legacy advertising, encryption and privacy, without other PHYs.  A host
/// expects the events of each feature: with LL Privacy, Linux waits for LE Enhanced Connection Complete, and drops a
/// connection that was reported with LE Connection Complete.
enum Capabilities {
    /// 9 is 5.0; the company is not assigned.
    static let version = LinkVersion(number: 9, company: 0xFFFF, subversion: 0)
    /// What Read Local Version Information returns.
    static let localVersion = LocalVersion(
        hciVersion: version.number, hciSubversion: version.subversion, linkLayerVersion: version.number,
        company: version.company, linkLayerSubversion: version.subversion)
    /// Core 6.0, Vol 6, Part B, section 4.6.
    static let features = linkFeatures.union(.privacy)
    /// Those that the Link Layers exchange.  LL Privacy concerns only a controller and its host.
    static let linkFeatures: LEFeatures = [.encryption, .peripheralFeaturesExchange, .dataPacketLengthExtension]
    /// Core 6.0, Vol 2, Part C, section 3.3.
    static let lmpFeatures: LMPFeatures = [.brEDRNotSupported, .leSupported]
    /// An ACL packet fits into the maximum data PDU; a link with shorter PDUs splits it.
    static let buffers = LEBufferSize(length: DataLength.maximum.octetCount, count: 12)
    /// The capacity of the filter accept list.
    static let acceptListSize = 16
    /// The capacity of the resolving list.
    static let resolvingListSize = 16
    /// The maximum number of links of a controller.
    static let connections = 64
    /// Every combination of advertising, scanning and connections: Core 6.0, Vol 4, Part E, section 7.8.27.
    static let states: UInt64 = 0x0000_03FF_FFFF_FFFF

    /// The commands that are carried out; the answer to any other is Unknown HCI Command.
    static let commands: [Opcode] = commandKinds.map(\.opcode)
    private static let commandKinds: [any AnyCommandKind] = [
        Command.disconnect, Command.readRemoteVersionInformation, Command.setEventMask, Command.reset,
        Command.readLocalVersionInformation, Command.readLocalSupportedCommands, Command.readLocalSupportedFeatures,
        Command.readBDADDR, Command.readRSSI, Command.setEventMaskPage2, Command.leSetEventMask,
        Command.leReadBufferSize, Command.leReadLocalSupportedFeatures, Command.leSetRandomAddress,
        Command.leSetAdvertisingParameters, Command.leReadAdvertisingPhysicalChannelTxPower,
        Command.leSetAdvertisingData, Command.leSetScanResponseData, Command.leSetAdvertisingEnable,
        Command.leSetScanParameters, Command.leSetScanEnable, Command.leCreateConnection,
        Command.leCreateConnectionCancel, Command.leReadFilterAcceptListSize, Command.leClearFilterAcceptList,
        Command.leAddDeviceToFilterAcceptList, Command.leRemoveDeviceFromFilterAcceptList, Command.leConnectionUpdate,
        Command.leReadRemoteFeatures, Command.leEncrypt, Command.leRand, Command.leEnableEncryption,
        Command.leLongTermKeyRequestReply, Command.leLongTermKeyRequestNegativeReply, Command.leReadSupportedStates,
        Command.leSetDataLength, Command.leReadSuggestedDefaultDataLength, Command.leWriteSuggestedDefaultDataLength,
        Command.leReadLocalP256PublicKey, Command.leGenerateDHKey, Command.leAddDeviceToResolvingList,
        Command.leRemoveDeviceFromResolvingList, Command.leClearResolvingList, Command.leReadResolvingListSize,
        Command.leReadPeerResolvableAddress, Command.leReadLocalResolvableAddress,
        Command.leSetAddressResolutionEnable, Command.leSetResolvablePrivateAddressTimeout,
        Command.leReadMaximumDataLength, Command.leSetPrivacyMode, Command.leGenerateDHKeyV2,
    ]

    /// Those that are answered with Command Status, because what they start ends with another event.
    static let startingCommands: [Opcode] = [
        Command.disconnect.opcode, Command.readRemoteVersionInformation.opcode, Command.leCreateConnection.opcode,
        Command.leConnectionUpdate.opcode, Command.leReadRemoteFeatures.opcode, Command.leEnableEncryption.opcode,
        Command.leReadLocalP256PublicKey.opcode, Command.leGenerateDHKey.opcode, Command.leGenerateDHKeyV2.opcode,
    ]
}
