import Bluetooth
import Octets

extension Command {
    /// Which command it is.
    public var opcode: Opcode {
        switch self {
        case .disconnect: .disconnect
        case .readRemoteVersionInformation: .readRemoteVersionInformation
        case .setEventMask: .setEventMask
        case .reset: .reset
        case .setControllerToHostFlowControl: .setControllerToHostFlowControl
        case .hostBufferSize: .hostBufferSize
        case .hostNumberOfCompletedPackets: .hostNumberOfCompletedPackets
        case .setEventMaskPage2: .setEventMaskPage2
        case .writeLEHostSupport: .writeLEHostSupport
        case .readLocalVersionInformation: .readLocalVersionInformation
        case .readLocalSupportedCommands: .readLocalSupportedCommands
        case .readLocalSupportedFeatures: .readLocalSupportedFeatures
        case .readLocalExtendedFeatures: .readLocalExtendedFeatures
        case .readBufferSize: .readBufferSize
        case .readBDADDR: .readBDADDR
        case .readRSSI: .readRSSI
        case .leSetEventMask: .leSetEventMask
        case .leReadBufferSize: .leReadBufferSize
        case .leReadLocalSupportedFeatures: .leReadLocalSupportedFeatures
        case .leSetRandomAddress: .leSetRandomAddress
        case .leSetAdvertisingParameters: .leSetAdvertisingParameters
        case .leReadAdvertisingPhysicalChannelTxPower: .leReadAdvertisingPhysicalChannelTxPower
        case .leSetAdvertisingData: .leSetAdvertisingData
        case .leSetScanResponseData: .leSetScanResponseData
        case .leSetAdvertisingEnable: .leSetAdvertisingEnable
        case .leSetScanParameters: .leSetScanParameters
        case .leSetScanEnable: .leSetScanEnable
        case .leCreateConnection: .leCreateConnection
        case .leCreateConnectionCancel: .leCreateConnectionCancel
        case .leReadFilterAcceptListSize: .leReadFilterAcceptListSize
        case .leClearFilterAcceptList: .leClearFilterAcceptList
        case .leAddDeviceToFilterAcceptList: .leAddDeviceToFilterAcceptList
        case .leRemoveDeviceFromFilterAcceptList: .leRemoveDeviceFromFilterAcceptList
        case .leConnectionUpdate: .leConnectionUpdate
        case .leSetHostChannelClassification: .leSetHostChannelClassification
        case .leReadChannelMap: .leReadChannelMap
        case .leReadRemoteFeatures: .leReadRemoteFeatures
        case .leEncrypt: .leEncrypt
        case .leRand: .leRand
        case .leEnableEncryption: .leEnableEncryption
        case .leLongTermKeyRequestReply: .leLongTermKeyRequestReply
        case .leLongTermKeyRequestNegativeReply: .leLongTermKeyRequestNegativeReply
        case .leReadSupportedStates: .leReadSupportedStates
        case .leRemoteConnectionParameterRequestReply: .leRemoteConnectionParameterRequestReply
        case .leRemoteConnectionParameterRequestNegativeReply: .leRemoteConnectionParameterRequestNegativeReply
        case .leSetDataLength: .leSetDataLength
        case .leReadSuggestedDefaultDataLength: .leReadSuggestedDefaultDataLength
        case .leWriteSuggestedDefaultDataLength: .leWriteSuggestedDefaultDataLength
        case .leClearResolvingList: .leClearResolvingList
        case .leReadResolvingListSize: .leReadResolvingListSize
        case .leSetAddressResolutionEnable: .leSetAddressResolutionEnable
        case .leSetResolvablePrivateAddressTimeout: .leSetResolvablePrivateAddressTimeout
        case .leReadMaximumDataLength: .leReadMaximumDataLength
        case .leReadPHY: .leReadPHY
        case .leSetDefaultPHY: .leSetDefaultPHY
        case .leSetAdvertisingSetRandomAddress: .leSetAdvertisingSetRandomAddress
        case .leSetExtendedAdvertisingParameters: .leSetExtendedAdvertisingParameters
        case .leSetExtendedAdvertisingData: .leSetExtendedAdvertisingData
        case .leSetExtendedScanResponseData: .leSetExtendedScanResponseData
        case .leSetExtendedAdvertisingEnable: .leSetExtendedAdvertisingEnable
        case .leRemoveAdvertisingSet: .leRemoveAdvertisingSet
        case .leSetExtendedScanParameters: .leSetExtendedScanParameters
        case .leSetExtendedScanEnable: .leSetExtendedScanEnable
        case .leExtendedCreateConnection: .leExtendedCreateConnection
        case .leReadTransmitPower: .leReadTransmitPower
        case .leReadBufferSizeV2: .leReadBufferSizeV2
        case .unknown(let opcode, _): opcode
        }
    }

    /// The packet as it is sent.
    public var octets: [UInt8] {
        let parameters = self.parameters.prefix(255)
        var octets: [UInt8] = []
        octets.append(opcode.rawValue)
        octets.append(UInt8(clamping: parameters.count))
        return octets + parameters
    }

    private var parameters: [UInt8] {
        var octets: [UInt8] = []
        switch self {
        case .disconnect(let handle, let reason),
            .leRemoteConnectionParameterRequestNegativeReply(let handle, let reason):
            octets.append(handle)
            octets.append(reason.rawValue)
        case .readRemoteVersionInformation(let handle),
            .readRSSI(let handle),
            .leReadChannelMap(let handle),
            .leReadRemoteFeatures(let handle),
            .leLongTermKeyRequestNegativeReply(let handle),
            .leReadPHY(let handle):
            octets.append(handle)
        case .setEventMask(let mask):
            octets.append(mask.rawValue)
        case .setControllerToHostFlowControl(let flowControl):
            octets.append(flowControl)
        case .hostBufferSize(let size):
            size.append(to: &octets)
        case .hostNumberOfCompletedPackets(let list):
            octets.append(UInt8(clamping: list.count))
            for completed in list.prefix(255) { completed.append(to: &octets) }
        case .setEventMaskPage2(let mask):
            octets.append(mask)
        case .writeLEHostSupport(let isSupported):
            octets.append(isSupported)
            octets.append(0 as UInt8)
        case .readLocalExtendedFeatures(let page):
            octets.append(page)
        case .leSetEventMask(let mask):
            octets.append(mask.rawValue)
        case .leSetRandomAddress(let address):
            octets += address.octets
        case .leSetAdvertisingParameters(let parameters):
            parameters.append(to: &octets)
        case .leSetAdvertisingData(let data),
            .leSetScanResponseData(let data):
            octets.append(padded: data)
        case .leSetAdvertisingEnable(let isOn),
            .leSetAddressResolutionEnable(let isOn):
            octets.append(isOn)
        case .leSetScanParameters(let parameters):
            parameters.append(to: &octets)
        case .leSetScanEnable(let isOn, let filterDuplicates):
            octets.append(isOn)
            octets.append(filterDuplicates)
        case .leCreateConnection(let creation):
            creation.append(to: &octets)
        case .leAddDeviceToFilterAcceptList(let address),
            .leRemoveDeviceFromFilterAcceptList(let address):
            octets.append(address)
        case .leConnectionUpdate(let update),
            .leRemoteConnectionParameterRequestReply(let update):
            update.append(to: &octets)
        case .leSetHostChannelClassification(let map):
            octets += (map + [0, 0, 0, 0, 0]).prefix(5)
        case .leEncrypt(let key, let plaintext):
            octets.append(block: key)
            octets.append(block: plaintext)
        case .leEnableEncryption(let start):
            start.append(to: &octets)
        case .leLongTermKeyRequestReply(let handle, let key):
            octets.append(handle)
            octets.append(block: key)
        case .leSetDataLength(let handle, let length):
            octets.append(handle)
            length.append(to: &octets)
        case .leWriteSuggestedDefaultDataLength(let length):
            length.append(to: &octets)
        case .leSetResolvablePrivateAddressTimeout(let seconds):
            octets.append(seconds)
        case .leSetDefaultPHY(let preference):
            preference.append(to: &octets)
        case .leSetAdvertisingSetRandomAddress(let set, let address):
            octets.append(set)
            octets += address.octets
        case .leSetExtendedAdvertisingParameters(let parameters):
            parameters.append(to: &octets)
        case .leSetExtendedAdvertisingData(let data),
            .leSetExtendedScanResponseData(let data):
            data.append(to: &octets)
        case .leSetExtendedAdvertisingEnable(let enable):
            enable.append(to: &octets)
        case .leRemoveAdvertisingSet(let set):
            octets.append(set)
        case .leSetExtendedScanParameters(let parameters):
            parameters.append(to: &octets)
        case .leSetExtendedScanEnable(let enable):
            enable.append(to: &octets)
        case .leExtendedCreateConnection(let creation):
            creation.append(to: &octets)
        case .unknown(_, let parameters):
            octets = parameters
        case .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures,
            .readBufferSize, .readBDADDR, .leReadBufferSize, .leReadLocalSupportedFeatures,
            .leReadAdvertisingPhysicalChannelTxPower, .leCreateConnectionCancel, .leReadFilterAcceptListSize,
            .leClearFilterAcceptList, .leRand, .leReadSupportedStates, .leReadSuggestedDefaultDataLength,
            .leClearResolvingList, .leReadResolvingListSize, .leReadMaximumDataLength, .leReadTransmitPower,
            .leReadBufferSizeV2:
            break
        }
        return octets
    }
}

extension [UInt8] {
    fileprivate mutating func append(padded data: [UInt8]) {
        let data = data.prefix(31)
        append(UInt8(clamping: data.count))
        append(contentsOf: data + repeatElement(0, count: 31 - data.count))
    }

    fileprivate mutating func append(block: [UInt8]) {
        append(contentsOf: (block + [UInt8](repeating: 0, count: 16)).prefix(16))
    }
}
