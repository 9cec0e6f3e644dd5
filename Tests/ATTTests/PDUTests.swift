import ATT
import Basics
import Bluetooth
import Mutations
import Testing

@Suite struct PDUTests {
    static let uuid = UUID("fb005c80-02e7-f387-1cad-8acd2d8df0c8") ?? UUID(0)

    /// A PDU, and its encoding.
    static let literals: [(pdu: PDU, octets: [UInt8])] = [
        (.errorResponse(request: 0x0A, handle: 0x0003, .readNotPermitted), [0x01, 0x0A, 0x03, 0x00, 0x02]),
        (.exchangeMTURequest(clientReceives: 517), [0x02, 0x05, 0x02]),
        (.exchangeMTUResponse(serverReceives: 23), [0x03, 0x17, 0x00]),
        (.findInformationRequest(.all), [0x04, 0x01, 0x00, 0xFF, 0xFF]),
        (
            .findInformationResponse([AttributeType(4, UUID(0x2902)), AttributeType(5, UUID(0x2901))]),
            [0x05, 0x01, 0x04, 0x00, 0x02, 0x29, 0x05, 0x00, 0x01, 0x29]
        ),
        (.findInformationResponse([AttributeType(9, uuid)]), [0x05, 0x02, 0x09, 0x00] + uuid.octets),
        (
            .findByTypeValueRequest(.all, type: 0x2800, value: [0x0D, 0x18]),
            [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18]
        ),
        (
            .findByTypeValueResponse([HandleRange(1, 5), HandleRange(0x0A, 0xFFFF)]),
            [0x07, 0x01, 0x00, 0x05, 0x00, 0x0A, 0x00, 0xFF, 0xFF]
        ),
        (.readByTypeRequest(.all, type: UUID(0x2803)), [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]),
        (.readByTypeRequest(.all, type: uuid), [0x08, 0x01, 0x00, 0xFF, 0xFF] + uuid.octets),
        (
            .readByTypeResponse([AttributeData(2, [0xAA]), AttributeData(4, [0xBB])]),
            [0x09, 0x03, 0x02, 0x00, 0xAA, 0x04, 0x00, 0xBB]
        ),
        (.readRequest(handle: 0x0102), [0x0A, 0x02, 0x01]),
        (.readResponse([0x48]), [0x0B, 0x48]),
        (.readResponse([]), [0x0B]),
        (.readBlobRequest(handle: 3, offset: 22), [0x0C, 0x03, 0x00, 0x16, 0x00]),
        (.readBlobResponse([1, 2]), [0x0D, 1, 2]),
        (.readMultipleRequest([3, 5]), [0x0E, 0x03, 0x00, 0x05, 0x00]),
        (.readMultipleResponse([1, 2, 3]), [0x0F, 1, 2, 3]),
        (.readByGroupTypeRequest(.all, type: UUID(0x2800)), [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]),
        (
            .readByGroupTypeResponse([GroupData(HandleRange(1, 5), [0x0D, 0x18])]),
            [0x11, 0x06, 0x01, 0x00, 0x05, 0x00, 0x0D, 0x18]
        ),
        (.writeRequest(handle: 4, value: [1, 0]), [0x12, 0x04, 0x00, 0x01, 0x00]),
        (.writeResponse, [0x13]),
        (.prepareWriteRequest(handle: 4, offset: 1, value: [9]), [0x16, 0x04, 0x00, 0x01, 0x00, 0x09]),
        (.prepareWriteResponse(handle: 4, offset: 1, value: [9]), [0x17, 0x04, 0x00, 0x01, 0x00, 0x09]),
        (.executeWriteRequest(write: true), [0x18, 0x01]),
        (.executeWriteRequest(write: false), [0x18, 0x00]),
        (.executeWriteResponse, [0x19]),
        (.handleValueNotification(handle: 3, value: [0x00, 0x48]), [0x1B, 0x03, 0x00, 0x00, 0x48]),
        (.handleValueIndication(handle: 3, value: []), [0x1D, 0x03, 0x00]),
        (.handleValueConfirmation, [0x1E]),
        (.readMultipleVariableRequest([3, 5, 7]), [0x20, 0x03, 0x00, 0x05, 0x00, 0x07, 0x00]),
        (
            .readMultipleVariableResponse([LengthValue(length: 1, [7]), LengthValue(length: 9, [8, 8])]),
            [0x21, 0x01, 0x00, 0x07, 0x09, 0x00, 0x08, 0x08]
        ),
        (
            .multipleHandleValueNotification([AttributeData(3, [7]), AttributeData(5, [])]),
            [0x23, 0x03, 0x00, 0x01, 0x00, 0x07, 0x05, 0x00, 0x00, 0x00]
        ),
        (.writeCommand(handle: 3, value: [1]), [0x52, 0x03, 0x00, 0x01]),
        (
            .signedWriteCommand(handle: 3, value: [1], signature: Array(1...12)),
            [0xD2, 0x03, 0x00, 0x01] + Array(1...12)
        ),
    ]

    @Test func `Every kind of PDU is encoded and decoded as specified`() {
        for (pdu, octets) in Self.literals {
            #expect(pdu.octets == octets)
            #expect(throws: Never.self) { try #expect(PDU(octets[...]) == pdu) }
        }
        #expect(Set(Self.literals.map(\.pdu.opcode)).count == Opcode.allCases.count)
    }

    /// A PDU that can be decoded is encoded and decoded again as the same value.
    @Test func `No octets trap the decoder, and decoded values survive encoding`() {
        for octets in Self.literals.flatMap(\.octets.mutations) {
            guard let pdu = try? PDU(octets[...]) else { continue }
            #expect(throws: Never.self) { try #expect(PDU(pdu.octets[...]) == pdu) }
        }
    }

    static let malformed: [(octets: [UInt8], error: Malformed)] = [
        ([], .tooShort(field: "Opcode", at: 0, needs: 1, has: 0)),
        ([0x3F], .prohibited(field: "Opcode", at: 0, value: 0x3F, allowed: "one of the specification's")),
        ([0x02, 0x17], .tooShort(field: "Client Rx MTU", at: 1, needs: 2, has: 1)),
        ([0x02, 0x17, 0x00, 0x00], .tooLong(at: 3, surplus: 1)),
        ([0x05, 0x03, 0x01, 0x00], .prohibited(field: "Format", at: 1, value: 3, allowed: "1 or 2")),
        ([0x05, 0x01], .tooShort(field: "Attribute Handle", at: 2, needs: 2, has: 0)),
        (
            [0x08, 1, 0, 2, 0, 3, 0x28, 0],
            .prohibited(field: "length of Attribute Type", at: 5, value: 3, allowed: "2 or 16")
        ),
        ([0x09, 0x01, 0x02], .prohibited(field: "Length", at: 1, value: 1, allowed: "2 or more")),
        ([0x09, 0x03, 2, 0, 7, 4, 0], .tooShort(field: "Attribute Value", at: 7, needs: 1, has: 0)),
        ([0x0E, 0x03, 0x00], .tooShort(field: "Attribute Handle", at: 3, needs: 2, has: 0)),
        ([0x11, 0x03], .prohibited(field: "Length", at: 1, value: 3, allowed: "4 or more")),
        ([0x18, 0x02], .prohibited(field: "Flags", at: 1, value: 2, allowed: "0 or 1")),
        ([0x1E, 0x00], .tooLong(at: 1, surplus: 1)),
        ([0xD2, 3, 0, 1], .tooShort(field: "Authentication Signature", at: 3, needs: 12, has: 1)),
    ]

    @Test(arguments: malformed)
    func `A malformed PDU is rejected with the reason`(octets: [UInt8], error: Malformed) {
        #expect(throws: error) { try PDU(octets[...]) }
    }

    @Test func `The server receives requests, commands, confirmations and unknown opcodes`() {
        let forClients: [UInt8] = [
            0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23,
        ]
        for opcode in UInt8.min...UInt8.max { #expect(isForServer(opcode) != forClients.contains(opcode)) }
        for case let response? in Opcode.allCases.map(\.response) { #expect(!isForServer(response.rawValue)) }
    }
}

@Suite struct ATTErrorTests {
    @Test func `Every error code has a name that gives the same error`() {
        for code in UInt8.min...UInt8.max {
            let error = ATTError(rawValue: code)
            #expect(ATTError(name: error.name) == error)
        }
        #expect(ATTError.allNames.count == 23)
        #expect(ATTError.insufficientAuthentication.name == "insufficient_authentication")
        #expect(ATTError.insufficientAuthentication.description == "insufficient_authentication (0x05)")
        #expect(ATTError(rawValue: 0x9F).description == "0x9F")
        for wrong in ["", "0x", "0x1", "0x+1", "9F", "0x9G", "Invalid_Handle"] { #expect(ATTError(name: wrong) == nil) }
    }
}

extension PDU {
    /// The encoded PDU.
    fileprivate var octets: [UInt8] {
        var pool = PacketPool()
        let packet = pool.take(self)
        return pool.octets(of: packet)
    }
}
