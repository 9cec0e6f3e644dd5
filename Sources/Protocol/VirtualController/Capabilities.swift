import HCI
import LinkLayer

/// What a virtual controller is, in one place, so that features, supported commands and the events that follow agree.
///
/// An LE-only controller of version 5.0 with legacy advertising, without encryption, privacy and other PHYs.  A host that is told of a feature waits for its events: Linux, told of LL Privacy, waits for LE
/// Enhanced Connection Complete and gives up on a link that came with the old event.
enum Capabilities {
    /// 9 is 5.0; the company is nobody's.
    static let version = LinkVersion(number: 9, company: 0xFFFF, subversion: 0)
    /// Core 6.0, Vol 6, Part B, section 4.6.
    static let features: LEFeatures = [.peripheralFeaturesExchange, .dataPacketLengthExtension]
    /// Core 6.0, Vol 2, Part C, section 3.3.
    static let lmpFeatures: LMPFeatures = [.brEDRNotSupported, .leSupported]
    /// One ACL packet fits into the longest data PDU; the link cuts it where a shorter one has been agreed.
    static let buffers = LEBufferSize(length: PDULength.most.octets, count: 12)
    /// What the filter accept list holds.
    static let acceptListSize = 16
    /// Links of one controller at once.
    static let connections = 64
    /// Every combination of advertising, scanning and connections: Core 6.0, Vol 4, Part E, section 7.8.27.
    static let states: UInt64 = 0x0000_03FF_FFFF_FFFF

    /// The commands that are carried out; every other one is answered with Unknown HCI Command.
    static let commands: [Opcode] = [
        .disconnect, .readRemoteVersionInformation, .setEventMask, .reset, .readLocalVersionInformation,
        .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBDADDR, .readRSSI, .setEventMaskPage2,
        .leSetEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress,
        .leSetAdvertisingParameters, .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData,
        .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
        .leCreateConnection, .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
        .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate,
        .leReadRemoteFeatures, .leRand, .leReadSupportedStates, .leSetDataLength, .leReadSuggestedDefaultDataLength,
        .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength,
    ]

    /// Those that are answered with Command Status, because what they start ends with an event of its own.
    static let startingCommands: [Opcode] = [
        .disconnect, .readRemoteVersionInformation, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
    ]
}
