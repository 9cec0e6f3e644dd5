import HCI
import LinkLayer

/// What a virtual controller is, in one place, so that features, supported commands and the events that follow agree.
///
/// An LE-only controller of version 5.0 with legacy advertising, without encryption, privacy and other PHYs.  A host that is told of a feature waits for its events: Linux, told of LL Privacy, waits for LE
/// Enhanced Connection Complete and gives up on a link that came with the old event.
enum Capabilities {
    /// 9 is 5.0; the company is nobody's.
    static let version = LinkVersion(number: 9, company: 0xFFFF, subversion: 0)
    /// What Read Local Version Information returns.
    static let localVersion = LocalVersion(
        hciVersion: version.number, hciSubversion: version.subversion, linkLayerVersion: version.number,
        company: version.company, linkLayerSubversion: version.subversion)
    /// Core 6.0, Vol 6, Part B, section 4.6.
    static let features: LEFeatures = [.peripheralFeaturesExchange, .dataPacketLengthExtension]
    /// Core 6.0, Vol 2, Part C, section 3.3.
    static let lmpFeatures: LMPFeatures = [.brEDRNotSupported, .leSupported]
    /// One ACL packet fits into the longest data PDU; the link cuts it where a shorter one has been agreed.
    static let buffers = LEBufferSize(length: PDULength.maximum.octets, count: 12)
    /// What the filter accept list holds.
    static let acceptListSize = 16
    /// Links of one controller at once.
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
        Command.leReadRemoteFeatures, Command.leRand, Command.leReadSupportedStates, Command.leSetDataLength,
        Command.leReadSuggestedDefaultDataLength, Command.leWriteSuggestedDefaultDataLength,
        Command.leReadMaximumDataLength,
    ]

    /// Those that are answered with Command Status, because what they start ends with another event.
    static let startingCommands: [Opcode] = [
        Command.disconnect.opcode, Command.readRemoteVersionInformation.opcode, Command.leCreateConnection.opcode,
        Command.leConnectionUpdate.opcode, Command.leReadRemoteFeatures.opcode,
    ]
}
