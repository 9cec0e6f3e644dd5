import Bluetooth
import HCI
import LinkLayer
import Octets

// The length of data PDUs: sections 7.8.33 to 7.8.35, 7.8.46 and 7.7.65.7.
extension Controller {
    mutating func carryOutLengthCommand(_ command: Command, _ context: inout Context) throws(Malformed) {
        var status = HCIStatus.success
        var returned: [UInt8] = []
        switch command {
        case Command.leSetDataLength:
            let (handle, length) = try Command.leSetDataLength.parameters(of: command)
            status = setLength(PDULength(length), of: handle, &context)
            returned.append(handle)
        case Command.leReadSuggestedDefaultDataLength: returned = DataLength(suggestedLength).octets
        case Command.leWriteSuggestedDefaultDataLength:
            let length = PDULength(try Command.leWriteSuggestedDefaultDataLength.parameters(of: command))
            if length.isValid { suggestedLength = length } else { status = .invalidParameters }
        default: returned = DataLength(.maximum).octets + DataLength(.maximum).octets
        }
        complete(command.opcode, status, returning: returned, &context)
    }

    private mutating func setLength(
        _ length: PDULength, of handle: UInt16, _ context: inout Context
    ) -> HCIStatus {
        guard let index = links.firstIndex(where: { $0.handle == handle }) else { return .unknownConnection }
        guard length.isValid else { return .invalidParameters }
        guard links[index].lengths.isSupported else { return .unsupportedRemoteFeature }
        links[index].lengths.prefer(length)
        requestLength(index, &context)
        return .success
    }

    /// Sends a request if the preferred length has changed.
    mutating func requestLength(_ index: Int, _ context: inout Context) {
        if let request = links[index].lengths.request() { send(request, index, &context) }
    }

    /// Handles a PDU of the procedure, and reports a change to the host.
    mutating func agree(_ pdu: LinkPDU, _ index: Int, _ context: inout Context) {
        let before = links[index].lengths.effective
        if let answer = links[index].lengths.receive(pdu) { send(answer, index, &context) }
        requestLength(index, &context)
        let now = links[index].lengths.effective
        guard now != before else { return }
        context.radio.limit(links[index].radio, payload: now.sending.payload)
        let event = Event.leDataLengthChange(
            links[index].handle, DataLength(now.sending), DataLength(now.receiving))
        send(event, if: .dataLengthChange, &context)
    }
}

extension PDULength {
    fileprivate init(_ length: DataLength) {
        self.init(octets: length.octetCount, microseconds: length.microseconds)
    }
}

extension DataLength {
    fileprivate init(_ length: PDULength) {
        self.init(octetCount: length.octets, microseconds: length.microseconds)
    }
}
