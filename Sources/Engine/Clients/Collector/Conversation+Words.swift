import Bluetooth
import GATT

extension Conversation.Purpose {
    var words: String {
        switch self {
        case .mtu: "exchanging the MTU"
        case .discovery, .check: "discovering the services"
        case .read(let row): "reading \(SupportedCharacteristic.all[row].name)"
        case .subscription(let row): "subscribing to \(SupportedCharacteristic.all[row].name)"
        case .energy: "resetting the Energy Expended"
        case .features: "writing Client Supported Features"
        case .polar: "starting the PMD stream"
        case .survey: "reading everything"
        }
    }
}

extension Procedure.Failure {
    var words: String {
        switch self {
        case .refused(.encryptionKeySizeTooShort, let handle):
            "\(ATTError.encryptionKeySizeTooShort) for handle \(handle): the device requires a longer key"
        case .refused(let error, let handle):
            wantsPairing
                ? "\(error) for handle \(handle): the device requires pairing" : "\(error) for handle \(handle)"
        case .malformed(let malformed): "the response is malformed: \(malformed)"
        case .unexpected(let opcode): "the answer is another PDU, opcode \(opcode)"
        case .handleOutOfOrder(let handle): "handle \(handle) is out of order"
        case .tooMuch: "there is more than can be remembered"
        case .valueTooLong(let count): "\(count) octets do not fit into one PDU"
        case .handleCount(let count): "\(count) handles are too few or too many for one PDU"
        case .echoDiffers(let handle): "the server repeated a part for handle \(handle) wrongly"
        case .bearerLost: "no answer within 30 s"
        case .disconnected: "disconnected"
        case .unavailable(let why): why
        }
    }
}
