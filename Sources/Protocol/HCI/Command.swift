public import Basics

/// A command packet, from a host to its controller.  Core 6.0, Vol 4, Part E, section 5.4.1:
///
/// | Octets | Field                  | Meaning                                     |
/// |--------|------------------------|---------------------------------------------|
/// | 2      | Command_Opcode         | see `Opcode`                                |
/// | 1      | Parameter_Total_Length | number of octets that follow                |
/// | 0–255  | Parameters             | see the kinds of commands in Commands.swift |
///
/// Each kind is declared once, as a static member; call it to make a command, ask it for the parameters of one:
///
///     let command: Command = .leSetScanEnable(true, false)
///     switch command {
///     case Command.leSetScanEnable:
///         let (isOn, filtersDuplicates) = try Command.leSetScanEnable.parameters(of: command)
///     …
public struct Command: Hashable, Sendable, CustomStringConvertible {
    /// The number of octets in front of the parameters.
    @usableFromInline static let headerCount = 3

    /// The command's number.
    public let opcode: Opcode
    /// The whole packet, as it is sent.
    public let octets: [UInt8]

    /// A command of any kind, known or not; only the first 255 octets of parameters are sent.
    public init(_ opcode: Opcode, parameters: [UInt8]) {
        self.init(opcode, finishing: Self.header(opcode) + parameters)
    }

    /// Sets the length in `octets`, which begin with `header(opcode)`; only 255 octets of parameters are sent.
    @usableFromInline init(_ opcode: Opcode, finishing octets: [UInt8]) {
        var octets = octets
        octets.removeLast(max(0, octets.count - Self.headerCount - 255))
        octets[2] = UInt8(octets.count - Self.headerCount)
        (self.opcode, self.octets) = (opcode, octets)
    }

    @usableFromInline static func header(_ opcode: Opcode) -> [UInt8] {
        [UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), 0]
    }

    /// A whole packet; throws when its length is not the one that it states.  `check` looks at the parameters.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        opcode = Opcode(rawValue: try reader.uint16("Command_Opcode"))
        try reader.parameterTotalLength()
        self.octets = octets
    }

    /// Throws when the parameters are not what the kind of command declares: too few, too many, or prohibited.
    /// A command of an unknown kind may have any.
    public func check() throws(Malformed) { try Self.kindByOpcode[opcode]?.check(self) }

    /// The name and the octets of the parameters: `LE_Set_Scan_Enable 01 00`.
    public var description: String { "\(opcode) \(Array(octets.dropFirst(Self.headerCount)).hex)" }

    static let kindByOpcode = Dictionary(uniqueKeysWithValues: kinds.map { ($0.opcode, $0) })
}

/// The common part of every kind of command has.
public protocol AnyCommandKind: Sendable {
    /// The number of these commands.
    var opcode: Opcode { get }
    /// The specification's name without `HCI_`.
    var name: String { get }
    /// The bit of Supported Commands (section 6.27) that a controller with this command sets, if there is one.
    var supportedBit: (octet: Int, bit: Int)? { get }
    /// Throws when the parameters of a command of this kind are too few, too many, or prohibited.
    var check: @Sendable (Command) throws(Malformed) -> Void { get }
    /// A command of this kind, read and written again, so that reserved bits are zero; throws when its parameters are
    /// too few, too many, or prohibited.
    func normalized(_ command: Command) throws(Malformed) -> Command
}

/// A kind of command: its opcode, its name, its bit of Supported Commands and its fields.
public struct CommandKind<each Value>: AnyCommandKind {
    /// The number of these commands.
    public let opcode: Opcode
    /// The specification's name without `HCI_`.
    public let name: String
    /// The bit of Supported Commands, if there is one.
    public let supportedBit: (octet: Int, bit: Int)?
    /// Throws when the parameters of a command of this kind are too few, too many, or prohibited.
    public let check: @Sendable (Command) throws(Malformed) -> Void
    @usableFromInline let fields: Fields<repeat each Value>

    init(
        _ opcode: UInt16, _ name: String, supported bit: (octet: Int, bit: Int)?,
        _ fields: repeat Field<each Value>
    ) {
        (self.opcode, self.name, supportedBit) = (Opcode(rawValue: opcode), name, bit)
        let fields = Fields(repeat each fields)
        self.fields = fields
        check = { command throws(Malformed) in _ = try fields.read(command.octets, after: Command.headerCount) }
    }

    /// A command with these parameters, in the order of the specification.
    @inlinable public func callAsFunction(_ values: repeat each Value) -> Command {
        var octets = Command.header(opcode)
        fields.write(repeat each values, to: &octets)
        return Command(opcode, finishing: octets)
    }

    /// The parameters of a command of this kind; throws when they are too few, too many, or prohibited.
    @inlinable public func parameters(of command: Command) throws(Malformed) -> (repeat each Value) {
        try fields.read(command.octets, after: Command.headerCount)
    }

    /// The command, read and written again.
    public func normalized(_ command: Command) throws(Malformed) -> Command {
        let values = try parameters(of: command)
        return self(repeat each values)
    }

    /// Whether a command is of this kind, for `case Command.reset:`.
    public static func ~= (kind: Self, command: Command) -> Bool { kind.opcode == command.opcode }
}
