public import Basics
public import Bluetooth

/// An event packet, from a controller to its host.  Core 6.0, Vol 4, Part E, section 5.4.4:
///
/// | Octets | Field                  | Meaning                                               |
/// |--------|------------------------|-------------------------------------------------------|
/// | 1      | Event_Code             | 0x3E for all LE events                                |
/// | 1      | Parameter_Total_Length | number of octets that follow                          |
/// | 1      | Subevent_Code          | only in an LE event                                   |
/// | 0–255  | Parameters             | see the kinds of events in Events.swift               |
///
/// Each kind is declared once, as a static member; call it to make an event, ask it for the parameters of one.
public struct Event: Hashable, Sendable, CustomStringConvertible {
    /// Which event: its code, and the subevent code of an LE event.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The Event_Code of all LE events: LE Meta.
        static let leMeta: UInt8 = 0x3E

        /// Event_Code.
        public let event: UInt8
        /// Subevent_Code; 0 in an event that has none.
        public let subevent: UInt8

        init(_ event: UInt8) { (self.event, subevent) = (event, 0) }
        init(subevent: UInt8) { (event, self.subevent) = (Self.leMeta, subevent) }

        /// The specification's name without `HCI_`; for an unknown event its number, `0x3E 0x7F`.
        public var description: String {
            if let kind = Event.kindByCode[self] { return kind.name }
            return "0x\([event].hex)" + (event == Self.leMeta ? " 0x\([subevent].hex)" : "")
        }

        /// The number of octets in front of the parameters.
        @usableFromInline var headerCount: Int { event == Self.leMeta ? 3 : 2 }
    }

    /// Most events have no more octets: one with a report of legacy advertising has at most 45.
    private static let usualCount = 48

    /// Which event.
    public let code: Code
    /// The whole packet, as it is sent.
    public let octets: [UInt8]

    /// Sets the length in `octets`, which begin with `header(code)`; only 255 octets of parameters are sent.
    @usableFromInline init(_ code: Code, finishing octets: [UInt8]) {
        var octets = octets
        octets.removeLast(max(0, octets.count - 257))
        octets[1] = UInt8(octets.count - 2)
        (self.code, self.octets) = (code, octets)
    }

    @usableFromInline static func header(_ code: Code) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(Self.usualCount)
        octets += [code.event, 0]
        if code.event == Code.leMeta { octets.append(code.subevent) }
        return octets
    }

    /// A whole packet; throws when its length is not the one that it states.  `check` looks at the parameters.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let event = try reader.uint8("Event_Code")
        try reader.parameterTotalLength()
        code = event == Code.leMeta ? Code(subevent: try reader.uint8("Subevent_Code")) : Code(event)
        self.octets = octets
    }

    /// The parameters, after the subevent code of an LE event.
    public var parameters: ArraySlice<UInt8> { octets.dropFirst(code.headerCount) }

    /// Throws when the parameters are not what the kind of event declares: too few, too many, or prohibited.
    /// An event of an unknown kind may have any.
    public func check() throws(Malformed) { try Self.kindByCode[code]?.check(self) }

    /// Whether the event is of a declared kind.
    public var isKnown: Bool { Self.kindByCode[code] != nil }

    /// The name and the octets of the parameters: `Hardware_Error 07`.
    public var description: String { "\(code) \(Array(parameters).hex)" }

    static let kindByCode = Dictionary(uniqueKeysWithValues: kinds.map { ($0.code, $0) })
}

/// The common part of every kind of event has.
public protocol AnyEventKind: Sendable {
    /// Which event.
    var code: Event.Code { get }
    /// The specification's name without `HCI_`.
    var name: String { get }
    /// Throws when the parameters of an event of this kind are too few, too many, or prohibited.
    var check: @Sendable (Event) throws(Malformed) -> Void { get }
    /// An event of this kind, read and written again, so that reserved bits are zero; throws when its parameters are
    /// too few, too many, or prohibited.
    func normalized(_ event: Event) throws(Malformed) -> Event
}

/// A kind of event: its code, its name and its fields.
public struct EventKind<each Value>: AnyEventKind {
    /// Which event.
    public let code: Event.Code
    /// The specification's name without `HCI_`.
    public let name: String
    /// Throws when the parameters of an event of this kind are too few, too many, or prohibited.
    public let check: @Sendable (Event) throws(Malformed) -> Void
    @usableFromInline let fields: Fields<repeat each Value>

    init(_ code: UInt8, _ name: String, _ fields: repeat Field<each Value>) {
        self.init(Event.Code(code), name, Fields(repeat each fields))
    }

    init(subevent: UInt8, _ name: String, _ fields: repeat Field<each Value>) {
        self.init(Event.Code(subevent: subevent), name, Fields(repeat each fields))
    }

    private init(_ code: Event.Code, _ name: String, _ fields: Fields<repeat each Value>) {
        (self.code, self.name, self.fields) = (code, name, fields)
        check = { event throws(Malformed) in _ = try fields.read(event.octets, after: code.headerCount) }
    }

    /// An event with these parameters, in the order of the specification.
    @inlinable public func callAsFunction(_ values: repeat each Value) -> Event {
        var octets = Event.header(code)
        fields.write(repeat each values, to: &octets)
        return Event(code, finishing: octets)
    }

    /// The parameters of an event of this kind; throws when they are too few, too many, or prohibited.
    @inlinable public func parameters(of event: Event) throws(Malformed) -> (repeat each Value) {
        try fields.read(event.octets, after: event.code.headerCount)
    }

    /// The event, read and written again.
    public func normalized(_ event: Event) throws(Malformed) -> Event {
        let values = try parameters(of: event)
        return self(repeat each values)
    }

    /// Whether an event is of this kind, for `case Event.hardwareError:`.
    public static func ~= (kind: Self, event: Event) -> Bool { kind.code == event.code }
}

extension Event {
    /// Command Complete: a status, and the return parameters after it.
    public static func complete(
        _ opcode: Opcode, _ status: HCIStatus = .success, _ returned: [UInt8] = [], allowed: UInt8 = 1
    ) -> Event {
        commandComplete(allowed, opcode, [status.rawValue] + returned)
    }
}
