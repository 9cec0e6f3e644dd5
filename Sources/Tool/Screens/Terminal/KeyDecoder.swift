/// A key of a terminal.
enum Key: Hashable, Sendable {
    case up
    case down
    case shiftUp
    case shiftDown
    case character(Character)
}

/// Decodes keys from a terminal's octets: ECMA-48 control sequences as xterm sends them, in any portions.
///
/// Other keys, keys with Alt, and characters outside ASCII are discarded.
struct KeyDecoder: Sendable {
    private enum State {
        case ground
        case escape
        /// After `ESC [`, with the parameters received.
        case control([UInt8])
        /// After `ESC O`.
        case shift3
    }

    /// After this time without another octet, an escape sequence is a single Escape key.
    static let patience = Duration.milliseconds(100)
    private static let longest = 16  // the maximum octets of parameters
    private static let escape: UInt8 = 0x1B

    private var state = State.ground

    /// The keys that `octets` complete; `pause` is the time since the last octets.
    mutating func decode(_ octets: [UInt8], after pause: Duration = .zero) -> [Key] {
        if pause > Self.patience { state = .ground }
        return octets.compactMap { decode($0) }
    }

    private mutating func decode(_ octet: UInt8) -> Key? {
        guard octet != Self.escape else {
            state = .escape
            return nil
        }
        switch state {
        case .ground: return (0x20...0x7E).contains(octet) ? .character(Character(Unicode.Scalar(octet))) : nil
        case .escape:
            state =
                switch octet {
                case UInt8(ascii: "["): .control([])
                case UInt8(ascii: "O"): .shift3
                default: .ground
                }
            return nil
        case .shift3:
            state = .ground
            return Self.arrow(octet, isShifted: false)
        case .control(var parameters):
            if (0x20...0x3F).contains(octet) {
                if parameters.count < Self.longest { parameters.append(octet) }
                state = .control(parameters)
                return nil
            }
            state = .ground
            return Self.key(octet, parameters)
        }
    }

    /// `A` and `B` are the arrows, `a` and `b` rxvt's arrows with Shift; xterm sends `1;2`, where 2 is 1 plus the bits of the
    /// modifiers: 1 Shift, 2 Alt, 4 Control.
    private static func key(_ final: UInt8, _ parameters: [UInt8]) -> Key? {
        guard !parameters.isEmpty else {
            return arrow(final, isShifted: false) ?? arrow(final ^ 0x20, isShifted: true)
        }
        switch String(decoding: parameters, as: UTF8.self) {
        case "1", "1;1": return arrow(final, isShifted: false)
        case "1;2": return arrow(final, isShifted: true)
        default: return nil
        }
    }

    private static func arrow(_ final: UInt8, isShifted: Bool) -> Key? {
        switch final {
        case UInt8(ascii: "A"): isShifted ? .shiftUp : .up
        case UInt8(ascii: "B"): isShifted ? .shiftDown : .down
        default: nil
        }
    }
}
