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
    func write(to text: inout JSONText) {
        switch self {
        case .started: text.append(quoted: "started")
        case .displayed(let passkey): text.append(text: "{\"displayed\": \(passkey)}")
        case .requestedPasskey: text.append(text: "{\"requested\": true}")
        case .compared(let number): text.append(text: "{\"compared\": \(number)}")
        case .paired(let isBonded, let isAuthenticated):
            text.append(text: "{\"bonded\": \(isBonded), \"authenticated\": \(isAuthenticated)}")
        case .failed(let why): text.append(quoted: why)
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
