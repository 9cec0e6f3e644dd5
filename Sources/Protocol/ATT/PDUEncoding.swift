public import Basics
import Bluetooth

extension PacketPool {
    /// A new packet with the encoded PDU; the caller must release it.  Does not check the length against the MTU.
    public mutating func take(_ pdu: PDU) -> Packet {
        var packet = take()
        append(pdu.opcode.rawValue, to: &packet)
        switch pdu {
        case .errorResponse(let request, let handle, let error):
            append(request, to: &packet)
            append(handle, to: &packet)
            append(error.rawValue, to: &packet)
        case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): append(mtu, to: &packet)
        case .findInformationRequest(let range): append(range, to: &packet)
        case .findInformationResponse(let list):
            let isShort = list.allSatisfy { $0.type.number != nil }
            append(UInt8(isShort ? 1 : 2), to: &packet)
            for entry in list {
                append(entry.handle, to: &packet)
                append((isShort ? entry.type.octets : entry.type.fullOctets)[...], to: &packet)
            }
        case .findByTypeValueRequest(let range, let type, let value):
            append(range, to: &packet)
            append(type, to: &packet)
            append(value[...], to: &packet)
        case .findByTypeValueResponse(let groups):
            for group in groups { append(group, to: &packet) }
        case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
            append(range, to: &packet)
            append(type.octets[...], to: &packet)
        case .readByTypeResponse(let list):
            let length = list.first?.value.count ?? 0
            append(UInt8(clamping: length + 2), to: &packet)
            for entry in list.prefix(while: { $0.value.count == length }) {
                append(entry.handle, to: &packet)
                append(entry.value[...], to: &packet)
            }
        case .readByGroupTypeResponse(let list):
            let length = list.first?.value.count ?? 0
            append(UInt8(clamping: length + 4), to: &packet)
            for group in list.prefix(while: { $0.value.count == length }) {
                append(group.range, to: &packet)
                append(group.value[...], to: &packet)
            }
        case .readRequest(let handle): append(handle, to: &packet)
        case .readBlobRequest(let handle, let offset):
            append(handle, to: &packet)
            append(offset, to: &packet)
        case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value):
            append(value[...], to: &packet)
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            for handle in handles { append(handle, to: &packet) }
        case .readMultipleVariableResponse(let values):
            for entry in values {
                append(entry.length, to: &packet)
                append(entry.value[...], to: &packet)
            }
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .handleValueNotification(let handle, let value), .handleValueIndication(let handle, let value):
            append(handle, to: &packet)
            append(value[...], to: &packet)
        case .signedWriteCommand(let handle, let value, let signature):
            append(handle, to: &packet)
            append(value[...], to: &packet)
            append(signature[...], to: &packet)
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            append(handle, to: &packet)
            append(offset, to: &packet)
            append(value[...], to: &packet)
        case .executeWriteRequest(let write): append(UInt8(write ? 1 : 0), to: &packet)
        case .multipleHandleValueNotification(let list):
            for entry in list {
                append(entry.handle, to: &packet)
                append(UInt16(clamping: entry.value.count), to: &packet)
                append(entry.value[...], to: &packet)
            }
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
        }
        return packet
    }
}

extension PacketPool {
    fileprivate mutating func append(_ range: HandleRange, to packet: inout Packet) {
        append(range.first, to: &packet)
        append(range.last, to: &packet)
    }
}
