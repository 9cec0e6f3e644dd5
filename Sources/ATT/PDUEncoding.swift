import Bluetooth
import Octets

extension PDU {
    /// As it is sent, opcode and all.  Nobody checks here that it fits into the MTU.
    public var octets: [UInt8] {
        var octets = [opcode.rawValue]
        switch self {
        case .errorResponse(let request, let handle, let error):
            octets.append(request)
            octets.append(handle)
            octets.append(error.rawValue)
        case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): octets.append(mtu)
        case .findInformationRequest(let range): octets.append(range)
        case .findInformationResponse(let list):
            let isShort = list.allSatisfy { $0.type.number != nil }
            octets.append(UInt8(isShort ? 1 : 2))
            for entry in list {
                octets.append(entry.handle)
                octets += isShort ? entry.type.octets : entry.type.fullOctets
            }
        case .findByTypeValueRequest(let range, let type, let value):
            octets.append(range)
            octets.append(type)
            octets += value
        case .findByTypeValueResponse(let groups):
            for group in groups { octets.append(group) }
        case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
            octets.append(range)
            octets += type.octets
        case .readByTypeResponse(let list):
            let length = list.first?.value.count ?? 0
            octets.append(UInt8(clamping: length + 2))
            for entry in list.prefix(while: { $0.value.count == length }) {
                octets.append(entry.handle)
                octets += entry.value
            }
        case .readByGroupTypeResponse(let list):
            let length = list.first?.value.count ?? 0
            octets.append(UInt8(clamping: length + 4))
            for group in list.prefix(while: { $0.value.count == length }) {
                octets.append(group.range)
                octets += group.value
            }
        case .readRequest(let handle): octets.append(handle)
        case .readBlobRequest(let handle, let offset):
            octets.append(handle)
            octets.append(offset)
        case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value): octets += value
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            for handle in handles { octets.append(handle) }
        case .readMultipleVariableResponse(let values):
            for entry in values {
                octets.append(entry.length)
                octets += entry.value
            }
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
            octets.append(handle)
            octets += value
        case .signedWriteCommand(let handle, let value, let signature):
            octets.append(handle)
            octets += value + signature
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            octets.append(handle)
            octets.append(offset)
            octets += value
        case .executeWriteRequest(let write): octets.append(UInt8(write ? 1 : 0))
        case .multipleHandleValueNotification(let list):
            for entry in list {
                octets.append(entry.handle)
                octets.append(UInt16(clamping: entry.value.count))
                octets += entry.value
            }
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
        }
        return octets
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ range: HandleRange) {
        append(range.first)
        append(range.last)
    }
}
