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
        indirect case queued(QueuedWrite)
        indirect case search(Search)
        indirect case survey(Survey)
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
        switch progress {
        case .single(let request): return .finished(try outcome(response, of: request))
        case .long(let handle, let value): return try receive(response, behind: value, of: handle, mtu: mtu)
        case .search(var search):
            let step = try search.receive(response)
            progress = .search(search)
            return step
        case .survey(var survey):
            let step = try survey.receive(response)
            progress = .survey(survey)
            return step
        case .queued(var write):
            let step = try write.receive(response)
            progress = .queued(write)
            return step
        }
    }

    private mutating func receive(
        _ response: PDU, behind value: [UInt8], of handle: UInt16, mtu: Int
    ) throws(Procedure.Failure) -> Search.Step {
        switch response {
        case .readResponse(let part), .readBlobResponse(let part):
            let whole = value + part
            guard whole.count <= AttributeTable.longestValue else { throw .tooMuch }
            guard part.count >= mtu - 1, whole.count < AttributeTable.longestValue else {
                return .finished(.value(whole))
            }
            progress = .long(handle: handle, whole)
            return .request(request)
        default: throw .unexpected(opcode: response.opcode.rawValue)
        }
    }

    private func outcome(_ response: PDU, of request: PDU) throws(Procedure.Failure) -> Procedure.Outcome {
        switch response {
        case .exchangeMTUResponse(let serverReceives): return .mtu(Int(serverReceives))
        case .readResponse(let value), .readMultipleResponse(let value): return .value(value)
        case .readMultipleVariableResponse(let list):
            guard case .readMultipleVariableRequest(let handles) = request else { break }
            guard list.count <= handles.count else { throw .tooMuch }
            return .lengthValues(list)
        case .readByTypeResponse(let list): return .values(try values(list, for: request))
        case .writeResponse: return .written
        default: break
        }
        throw .unexpected(opcode: response.opcode.rawValue)
    }

    private func values(_ list: [AttributeData], for request: PDU) throws(Procedure.Failure) -> [AttributeData] {
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
        return list
    }
}

extension ClientConfiguration {
    fileprivate var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(rawValue)
        return octets
    }
}
