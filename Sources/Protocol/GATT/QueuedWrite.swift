import ATT
import Bluetooth

/// Sends a Prepare Write for each part, then Execute Write.  After an error or a wrong echo it cancels the server's queue
/// before the procedure fails.  Core 6.0, Vol 3, Part G, sections 4.9.4 and 4.9.5.
///
///     preparing ──last response──▶ executing ──▶ written
///         └──error, wrong echo──▶ cancelling ──▶ failed
struct QueuedWrite: Sendable {
    private enum State { case preparing(Int), executing, cancelling(Procedure.Failure) }

    private let requests: [PDU]
    private let comparesEchoes: Bool
    private var state = State.preparing(0)

    /// Splits the values, at least one, into parts that fit into PDUs of `mtu` octets.
    init(_ values: [AttributeData], comparesEchoes: Bool, mtu: Int) {
        let room = max(1, mtu - 5)
        requests = values.flatMap { entry in
            stride(from: 0, to: max(1, entry.value.count), by: room).map { offset in
                let part = Array(entry.value[offset...].prefix(room))
                return .prepareWriteRequest(handle: entry.handle, offset: UInt16(clamping: offset), value: part)
            }
        }
        self.comparesEchoes = comparesEchoes
    }

    var request: PDU {
        if case .preparing(let index) = state, requests.indices.contains(index) { return requests[index] }
        if case .cancelling = state { return .executeWriteRequest(write: false) }
        return .executeWriteRequest(write: true)
    }

    mutating func receive(error: ATTError, handle: UInt16) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch state {
        case .preparing(0), .executing: throw .refused(error, handle: handle)
        case .preparing: return cancel(.refused(error, handle: handle))
        case .cancelling(let failure): throw failure
        }
    }

    mutating func receive(_ response: PDU) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch (state, response) {
        case (.preparing(let index), .prepareWriteResponse(let handle, let offset, let value)):
            let echo = PDU.prepareWriteRequest(handle: handle, offset: offset, value: value)
            if comparesEchoes, echo != request { return cancel(.echoDiffers(handle: handle)) }
            state = index + 1 < requests.count ? .preparing(index + 1) : .executing
            return .request(request)
        case (.executing, .executeWriteResponse): return .finished(.written)
        case (.cancelling(let failure), .executeWriteResponse): throw failure
        default: throw .unexpected(opcode: response.opcode.rawValue)
        }
    }

    private mutating func cancel(_ failure: Procedure.Failure) -> AttributeSearch.Step {
        state = .cancelling(failure)
        return .request(request)
    }
}
