import ATT
import Bluetooth
import Octets

/// A procedure that is being played: the request that it waits for, and what it does with the answer.
struct Run: Sendable {
    private enum Progress: Sendable {
        /// One request, one response.
        case single(PDU)
        /// A long read: what has come so far.
        case long(handle: UInt16, [UInt8])
        case queued(QueuedWrite)
        case search(Search)
        case survey(Survey)
    }

    let id: UInt32
    private var progress: Progress

    /// `receives` is the MTU to offer, `mtu` the one that holds.  A Write Command is no run: nobody answers it.
    init(_ procedure: Procedure, id: UInt32, receives: Int, mtu: Int) {
        self.id = id
        progress =
            switch procedure {
            case .exchangeMTU: .single(.exchangeMTURequest(clientReceives: UInt16(clamping: receives)))
            case .discoverPrimaryServices: .search(Search(.primaryServices, in: .all))
            case .findPrimaryServices(let uuid): .search(Search(.primaryServicesOf(uuid), in: .all))
            case .findIncludedServices(let range): .search(Search(.included, in: range))
            case .discoverCharacteristics(let range): .search(Search(.characteristics, in: range))
            case .discoverDescriptors(let range): .search(Search(.descriptors, in: range))
            case .discoverEverything: .survey(Survey())
            case .read(let handle): .single(.readRequest(handle: handle))
            case .readByUUID(let uuid, let range): .single(.readByTypeRequest(range, type: uuid))
            case .readLong(let handle): .long(handle: handle, [])
            case .readMultiple(let handles): .single(.readMultipleRequest(handles))
            case .readMultipleVariable(let handles): .single(.readMultipleVariableRequest(handles))
            case .writeLong(let handle, let value):
                .queued(QueuedWrite([AttributeData(handle, value)], comparesEchoes: false, mtu: mtu))
            case .writeReliably(let values): .queued(QueuedWrite(values, comparesEchoes: true, mtu: mtu))
            case .write(let handle, let value), .writeCommand(let handle, let value):
                .single(.writeRequest(handle: handle, value: value))
            case .configure(let handle, let configuration):
                .single(.writeRequest(handle: handle, value: configuration.octets))
            }
    }

    /// What to send now.
    var request: PDU {
        switch progress {
        case .single(let request): request
        case .long(let handle, let value) where value.isEmpty: .readRequest(handle: handle)
        case .long(let handle, let value): .readBlobRequest(handle: handle, offset: UInt16(clamping: value.count))
        case .queued(let write): write.request
        case .search(let search): search.request
        case .survey(let survey): survey.request
        }
    }

    /// What to do next; throws when the procedure has failed.
    mutating func receive(_ answer: Requester.Answer, mtu: Int) throws(Procedure.Failure) -> Search.Step {
        switch answer {
        case .malformed(let reason): throw .malformed(reason)
        case .unexpected(let opcode): throw .unexpected(opcode: opcode)
        case .error(let error, let handle): return try receive(error, handle: handle)
        case .response(let response): return try receive(response, mtu: mtu)
        }
    }

    private mutating func receive(_ error: ATTError, handle: UInt16) throws(Procedure.Failure) -> Search.Step {
        switch progress {
        case .search(var search): return try search.receive(error: error, handle: handle)
        case .survey(var survey):
            let step = try survey.receive(error: error, handle: handle)
            progress = .survey(survey)
            return step
        case .queued(var write):
            let step = try write.receive(error: error, handle: handle)
            progress = .queued(write)
            return step
        // What there is fills the first response exactly, and some servers say so.
        case .long(_, let value) where error == .attributeNotLong && !value.isEmpty: return .finished(.value(value))
        case .single, .long: throw .refused(error, handle: handle)
        }
    }

    private mutating func receive(_ response: PDU, mtu: Int) throws(Procedure.Failure) -> Search.Step {
        switch (progress, response) {
        case (.search(var search), _):
            let step = try search.receive(response)
            progress = .search(search)
            return step
        case (.survey(var survey), _):
            let step = try survey.receive(response)
            progress = .survey(survey)
            return step
        case (.queued(var write), _):
            let step = try write.receive(response)
            progress = .queued(write)
            return step
        case (.long(let handle, let value), .readResponse(let part)),
            (.long(let handle, let value), .readBlobResponse(let part)):
            let whole = value + part
            guard whole.count <= AttributeTable.longestValue else { throw .tooMuch }
            guard part.count >= mtu - 1, whole.count < AttributeTable.longestValue else {
                return .finished(.value(whole))
            }
            progress = .long(handle: handle, whole)
            return .request(request)
        case (.single, .exchangeMTUResponse(let serverReceives)): return .finished(.mtu(Int(serverReceives)))
        case (.single, .readResponse(let value)), (.single, .readMultipleResponse(let value)):
            return .finished(.value(value))
        case (.single(.readMultipleVariableRequest(let handles)), .readMultipleVariableResponse(let list)):
            guard list.count <= handles.count else { throw .tooMuch }
            return .finished(.lengthValues(list))
        case (.single(let request), .readByTypeResponse(let list)): return try values(list, for: request)
        case (.single, .writeResponse): return .finished(.written)
        default: throw .unexpected(opcode: response.opcode.rawValue)
        }
    }

    private func values(_ list: [AttributeData], for request: PDU) throws(Procedure.Failure) -> Search.Step {
        guard case .readByTypeRequest(let range, _) = request else {
            throw .unexpected(opcode: Opcode.readByTypeResponse.rawValue)
        }
        var last: UInt16?
        for entry in list {
            guard range.contains(entry.handle), last.map({ $0 < entry.handle }) ?? true else {
                throw .handleOutOfOrder(entry.handle)
            }
            last = entry.handle
        }
        return .finished(.values(list))
    }
}

extension ClientConfiguration {
    fileprivate var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(rawValue)
        return octets
    }
}
