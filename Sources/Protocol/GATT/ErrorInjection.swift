public import ATT
public import Bluetooth

/// ATT errors that a server sends although its attributes would allow the request: injected faults.
public struct ErrorInjection: Hashable, Sendable {
    /// Kinds of requests.
    public struct Requests: OptionSet, Hashable, Sendable {
        /// Internal bits, never sent.
        public let rawValue: UInt8

        /// The set with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Reads of values and descriptors, not of declarations: Read, Read Blob, Read Multiple and Read By Type.
        public static let read = Requests(rawValue: 0x01)
        /// Writes of values, and of descriptors except the Client Characteristic Configuration: Write, Prepare Write,
        /// Execute Write.
        public static let write = Requests(rawValue: 0x02)
        /// Writes of a Client Characteristic Configuration.
        public static let subscribe = Requests(rawValue: 0x04)
        /// Discovery: Find Information, Find By Type Value, Read By Group Type, and Read By Type of declarations.
        public static let discover = Requests(rawValue: 0x08)

        /// Exchange MTU, which is of no attribute.
        public static let exchangeMTU = Requests(rawValue: 0x10)

        /// All requests.
        public static let all: Requests = [.read, .write, .subscribe, .discover, .exchangeMTU]
    }

    private struct Entry: Hashable, Sendable {
        let requests: Requests
        let range: HandleRange
        let error: ATTError
    }

    private var entries: [Entry] = []

    /// No errors.
    public init() {}

    /// Whether no error is injected.
    public var isEmpty: Bool { entries.isEmpty }

    /// Answers `requests` for attributes with handles in `range` with `error`; entries added earlier take precedence.
    public mutating func add(_ requests: Requests, in range: HandleRange, with error: ATTError) {
        entries.append(Entry(requests: requests, range: range, error: error))
    }

    /// The injected error for a request; nil if there is none.
    func error(for request: Requests, at handle: UInt16) -> ATTError? {
        for entry in entries where entry.requests.contains(request) && entry.range.contains(handle) {
            return entry.error
        }
        return nil
    }

    /// The injected error for Exchange MTU: only entries of all handles apply to it.
    private var errorForExchangeMTU: ATTError? {
        entries.first { $0.requests.contains(.exchangeMTU) && $0.range == .all }?.error
    }

    /// The injected error for a search that finds nothing and lies within an entry's range.
    func error(forSearchOf range: HandleRange) -> ATTError? {
        for entry in entries where entry.requests.contains(.discover) {
            if entry.range.contains(range.first), entry.range.contains(range.last) { return entry.error }
        }
        return nil
    }
}

extension ErrorInjection {
    /// Throws the injected error for a request, if there is one.
    func check(_ request: Requests, at handle: UInt16) throws(ErrorResponse) {
        guard let error = error(for: request, at: handle) else { return }
        throw .injected(error, at: handle)
    }

    /// Throws the injected error for Exchange MTU, if there is one.
    func checkExchangeMTU() throws(ErrorResponse) {
        if let errorForExchangeMTU { throw .injected(errorForExchangeMTU, at: 0) }
    }

    /// The attributes that a search lists: those before the first one with an injected error.  If the first of all has
    /// one, throws it, as for a value that cannot be read.  Section 3.4.4.1.
    func listed<Found>(
        _ found: [Found], in range: HandleRange, _ handle: (Found) -> UInt16
    ) throws(ErrorResponse) -> [Found] {
        guard !isEmpty else { return found }
        guard let first = found.first.map(handle) else {
            if let error = error(forSearchOf: range) { throw .injected(error, at: range.first) }
            return found
        }
        try check(.discover, at: first)
        return Array(found.prefix { error(for: .discover, at: handle($0)) == nil })
    }
}

extension ErrorInjection.Requests {
    /// The kind of a request or command of a client; empty for other PDUs, and for invalid ones.
    package init(of octets: ArraySlice<UInt8>, in table: AttributeTable) {
        self =
            switch try? PDU(octets) {
            case .exchangeMTURequest: .exchangeMTU
            case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest: .discover
            case .readByTypeRequest(_, let type): type.isDeclaration ? .discover : .read
            case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest: .read
            case .writeRequest(let handle, _), .writeCommand(let handle, _):
                table.type(of: handle) == .clientCharacteristicConfiguration ? .subscribe : .write
            case .prepareWriteRequest, .executeWriteRequest: .write
            default: []
            }
    }
}

extension ErrorResponse {
    fileprivate static func injected(_ error: ATTError, at handle: UInt16) -> ErrorResponse {
        var response = ErrorResponse(error, at: handle)
        response.isInjected = true
        return response
    }
}

extension UUID {
    /// Whether an attribute of this type declares a service, an included service or a characteristic.  Core 6.0, Vol 3,
    /// Part G, section 3.
    package var isDeclaration: Bool {
        self == .primaryService || self == .secondaryService || self == .include || self == .characteristic
    }
}
