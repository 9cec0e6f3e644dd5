import ATT
import Basics
import Bluetooth

/// A running procedure: its outstanding request, and how it handles the answer.
struct ActiveProcedure: Sendable {
    private enum Progress: Sendable {
        /// One request, one response.
        case single(PDU)
        /// A long read from an offset on, with the octets received.
        case long(handle: UInt16, from: Int, [UInt8])
        indirect case queued(QueuedWrite)
        indirect case search(AttributeSearch)
        indirect case fullDiscovery(FullDiscovery)
    }

    let id: UInt32
    private var progress: Progress

    /// `receives` is the MTU to offer, `mtu` the current one.  A Write Command never gets here: it has no response.
    init(_ procedure: Procedure, id: UInt32, receives: Int, mtu: Int) {
        self.id = id
        progress =
            switch procedure {
            case .exchangeMTU: .single(.exchangeMTURequest(clientReceives: UInt16(clamping: receives)))
            case .discoverPrimaryServices: .search(AttributeSearch(.primaryServices, in: .all))
            case .findPrimaryServices(let uuid): .search(AttributeSearch(.primaryServicesOf(uuid), in: .all))
            case .findIncludedServices(let range): .search(AttributeSearch(.included, in: range))
            case .discoverCharacteristics(let range): .search(AttributeSearch(.characteristics, in: range))
            case .discoverDescriptors(let range): .search(AttributeSearch(.descriptors, in: range))
            case .discoverEverything: .fullDiscovery(FullDiscovery())
            case .read(let handle): .single(.readRequest(handle: handle))
            case .readByUUID(let uuid, let range): .single(.readByTypeRequest(range, type: uuid))
            case .readLong(let handle): .long(handle: handle, from: 0, [])
            case .readRest(let handle, let offset): .long(handle: handle, from: Int(offset), [])
            case .readMultiple(let handles): .single(.readMultipleRequest(handles))
            case .readMultipleVariable(let handles): .single(.readMultipleVariableRequest(handles))
            case .writeLong(let handle, let value):
                .queued(QueuedWrite([AttributeData(handle, value)], comparesEchoes: false, mtu: mtu))
            case .writeRest(let handle, let offset, let value):
                .queued(QueuedWrite([AttributeData(handle, value)], from: Int(offset), comparesEchoes: false, mtu: mtu))
            case .writeReliably(let values): .queued(QueuedWrite(values, comparesEchoes: true, mtu: mtu))
            case .write(let handle, let value), .writeCommand(let handle, let value):
                .single(.writeRequest(handle: handle, value: value))
            case .configure(let handle, let configuration):
                .single(.writeRequest(handle: handle, value: configuration.octets))
            }
    }

    /// The request to send now.
    var request: PDU {
        switch progress {
        case .single(let request): request
        case .long(let handle, from: 0, let value) where value.isEmpty: .readRequest(handle: handle)
        case .long(let handle, let offset, let value):
            .readBlobRequest(handle: handle, offset: UInt16(clamping: offset + value.count))
        case .queued(let write): write.request
        case .search(let search): search.request
        case .fullDiscovery(let discovery): discovery.request
        }
    }

    /// The next step after an answer; throws when the procedure fails.
    mutating func receive(_ answer: Requester.Answer, mtu: Int) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch answer {
        case .malformed(let reason): throw .malformed(reason)
        case .unexpected(let opcode): throw .unexpected(opcode: opcode)
        case .error(let error, let handle): return try receive(error, handle: handle)
        case .response(let response): return try receive(response, mtu: mtu)
        }
    }

    private mutating func receive(_ error: ATTError, handle: UInt16) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch progress {
        case .search(var search): return try search.receive(error: error, handle: handle)
        case .fullDiscovery(var discovery):
            let step = try discovery.receive(error: error, handle: handle)
            progress = .fullDiscovery(discovery)
            return step
        case .queued(var write):
            let step = try write.receive(error: error, handle: handle)
            progress = .queued(write)
            return step
        // The value fills the first response exactly; some servers answer the next request with this error.
        case .long(_, _, let value) where error == .attributeNotLong && !value.isEmpty: return .finished(.value(value))
        case .single, .long: throw .refused(error, handle: handle)
        }
    }

    private mutating func receive(_ response: PDU, mtu: Int) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch progress {
        case .single(let request): return .finished(try outcome(response, of: request))
        case .long(let handle, let offset, let value):
            return try receive(response, after: value, from: offset, of: handle, mtu: mtu)
        case .search(var search):
            let step = try search.receive(response)
            progress = .search(search)
            return step
        case .fullDiscovery(var discovery):
            let step = try discovery.receive(response)
            progress = .fullDiscovery(discovery)
            return step
        case .queued(var write):
            let step = try write.receive(response)
            progress = .queued(write)
            return step
        }
    }

    private mutating func receive(
        _ response: PDU, after value: [UInt8], from offset: Int, of handle: UInt16, mtu: Int
    ) throws(Procedure.Failure) -> AttributeSearch.Step {
        switch response {
        case .readResponse(let part), .readBlobResponse(let part):
            let whole = value + part
            let end = offset + whole.count
            guard end <= max(offset, AttributeTable.maximumValueLength) else { throw .tooMuch }
            guard part.count >= mtu - 1, end < AttributeTable.maximumValueLength else {
                return .finished(.value(whole))
            }
            progress = .long(handle: handle, from: offset, whole)
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
    /// The value of the descriptor.
    var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(rawValue)
        return octets
    }
}

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

    /// Splits the values, at least one, into parts that fit into PDUs of `mtu` octets; each is written from `start` on.
    init(_ values: [AttributeData], from start: Int = 0, comparesEchoes: Bool, mtu: Int) {
        let room = max(1, mtu - 5)
        requests = values.flatMap { entry in
            stride(from: 0, to: max(1, entry.value.count), by: room).map { offset in
                let part = Array(entry.value[offset...].prefix(room))
                return .prepareWriteRequest(handle: entry.handle, offset: UInt16(clamping: start + offset), value: part)
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
