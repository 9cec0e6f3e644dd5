public import ATT
public import Bluetooth

/// What a server refuses although its attributes would allow it: faults that somebody plays.
///
/// Plain data, looked through from its first entry on; with none in it nothing is looked up.
public struct Refusals: Hashable, Sendable {
    /// What clients ask for.
    public struct Requests: OptionSet, Hashable, Sendable {
        /// The set as bits of our own choice: they are never sent.
        public let rawValue: UInt8

        /// Of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A value or a descriptor: Read, Read Blob, Read Multiple, and Read By Type of what is no declaration.
        public static let read = Requests(rawValue: 0x01)
        /// A value or a descriptor other than a Client Characteristic Configuration: Write, Prepare Write, Execute Write.
        public static let write = Requests(rawValue: 0x02)
        /// A Client Characteristic Configuration is written.
        public static let subscribe = Requests(rawValue: 0x04)
        /// Attributes are looked for: Find Information, Find By Type Value, Read By Group Type, and Read By Type of
        /// declarations.
        public static let discover = Requests(rawValue: 0x08)

        /// All of them.
        public static let all: Requests = [.read, .write, .subscribe, .discover]
    }

    private struct Entry: Hashable, Sendable {
        let requests: Requests
        let range: HandleRange
        let error: ATTError
    }

    private var entries: [Entry] = []

    /// Nothing is refused.
    public init() {}

    /// Whether nothing is refused.
    public var isEmpty: Bool { entries.isEmpty }

    /// Refuses requests for attributes with these handles, where nothing that was added before does.
    public mutating func add(_ requests: Requests, in range: HandleRange, with error: ATTError) {
        entries.append(Entry(requests: requests, range: range, error: error))
    }

    /// What is answered to a request for an attribute; nil for what it has itself.
    func error(for request: Requests, at handle: UInt16) -> ATTError? {
        for entry in entries where entry.requests.contains(request) && entry.range.contains(handle) {
            return entry.error
        }
        return nil
    }

    /// What is answered to a search that finds nothing, and goes nowhere else.
    func error(forSearchOf range: HandleRange) -> ATTError? {
        for entry in entries where entry.requests.contains(.discover) {
            if entry.range.contains(range.first), entry.range.contains(range.last) { return entry.error }
        }
        return nil
    }
}

extension Refusals {
    /// Throws what is answered to a request for an attribute, if that is an error.
    func check(_ request: Requests, at handle: UInt16) throws(Refusal) {
        guard let error = error(for: request, at: handle) else { return }
        throw .fault(error, at: handle)
    }

    /// What a search tells of what it has found: what stands before the first attribute that a fault refuses.  If that is
    /// the very first it throws the error, as for a value that cannot be read.  Section 3.4.4.1.
    func told<Found>(
        _ found: [Found], in range: HandleRange, _ handle: (Found) -> UInt16
    ) throws(Refusal) -> [Found] {
        guard !isEmpty else { return found }
        guard let first = found.first.map(handle) else {
            if let error = error(forSearchOf: range) { throw .fault(error, at: range.first) }
            return found
        }
        try check(.discover, at: first)
        return Array(found.prefix { error(for: .discover, at: handle($0)) == nil })
    }
}

extension Refusal {
    fileprivate static func fault(_ error: ATTError, at handle: UInt16) -> Refusal {
        var refusal = Refusal(error, at: handle)
        refusal.isFault = true
        return refusal
    }
}

extension UUID {
    /// Whether an attribute of this type declares a service, an included service or a characteristic.  Core 6.0, Vol 3,
    /// Part G, section 3.
    var isDeclaration: Bool {
        self == .primaryService || self == .secondaryService || self == .include || self == .characteristic
    }
}
