import Basics

/// A step of pairing, as a client reports it.
package enum PairingUpdate: Hashable, Sendable {
    /// Pairing has started.
    case started
    /// The client displays this passkey, which the user enters on the device.
    case displayed(passkey: UInt32)
    /// The user is to enter the passkey that the device displays.
    case requestedPasskey
    /// The client displays this number, which the user compares with that of the device.
    case compared(UInt32)
    /// Pairing is complete.
    case paired(isBonded: Bool, isAuthenticated: Bool)
    /// Pairing or encryption has failed, for this reason.
    case failed(String)

    /// For people, without the device: `enter 123456 on the device`.
    package var text: String {
        switch self {
        case .started: "started"
        case .displayed(let passkey): "enter \(passkey.digits) on the device"
        case .requestedPasskey: "enter the passkey that the device displays"
        case .compared(let number): "compare \(number.digits) with the device"
        case .paired(let isBonded, let isAuthenticated):
            "complete, \(isAuthenticated ? "authenticated" : "not authenticated")\(isBonded ? "" : ", without a bond")"
        case .failed(let why): why
        }
    }

    /// The key in a client's line.
    var key: String {
        switch self {
        case .started: "pairing"
        case .displayed, .requestedPasskey, .compared: "passkey"
        case .paired: "paired"
        case .failed: "error"
        }
    }

    /// Writes the value of `key`.
    func write(into sink: inout some ValueSink) {
        switch self {
        case .started: sink.append(.string("started"))
        case .displayed(let passkey): sink.appendObject { $0.append(member: "displayed", .number(passkey)) }
        case .requestedPasskey: sink.appendObject { $0.append(member: "requested", .bool(true)) }
        case .compared(let number): sink.appendObject { $0.append(member: "compared", .number(number)) }
        case .paired(let isBonded, let isAuthenticated):
            sink.appendObject { sink in
                sink.append(member: "bonded", .bool(isBonded))
                sink.append(member: "authenticated", .bool(isAuthenticated))
            }
        case .failed(let why): sink.append(.string(why))
        }
    }
}

extension UInt32 {
    /// Six digits.
    fileprivate var digits: String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, 6 - digits.count)) + digits
    }
}
