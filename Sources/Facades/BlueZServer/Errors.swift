import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

extension MethodError {
    /// The error for an operation on an attribute: create_gatt_dbus_error in src/gatt-client.c.
    init(_ failure: CentralFailure) {
        switch failure {
        case .refused(let error): self.init(error)
        case .inProgress: self = .attributeInProgress
        case .notConnected: self = .failed("Not connected")
        case .notSubscribed: self = .failed("No notify session started")
        case .timedOut, .disconnectedByPeripheral, .connectionFailed, .bondLost, .cancelled, .aborted:
            self = .failed("Operation failed with ATT error: 0x0e")
        case .unknown: self = .failed("Operation failed")
        }
    }

    private init(_ error: ATTError) {
        switch error.rawValue {
        case 0x02: self.init("org.bluez.Error.NotPermitted", "Read not permitted")
        case 0x03: self.init("org.bluez.Error.NotPermitted", "Write not permitted")
        case 0x05, 0x0C, 0x0F: self.init("org.bluez.Error.NotPermitted", "Not paired")
        case 0x06: self = .notSupported
        case 0x07: self.init("org.bluez.Error.InvalidArguments", "Invalid offset")
        case 0x08: self.init("org.bluez.Error.NotAuthorized", "Operation Not Authorized")
        case 0x0D: self.init("org.bluez.Error.InvalidArguments", "Invalid Length")
        case let code:
            let digits = String(code, radix: 16)
            self = .failed("Operation failed with ATT error: 0x\(digits.count < 2 ? "0" : "")\(digits)")
        }
    }

    /// The error of Connect: src/device.c, src/error.c.
    init(ofConnect failure: CentralFailure, _ version: BlueZVersion) {
        let hasTexts = version.has(.connectionTexts)
        self =
            switch failure {
            case .inProgress:
                version.has(.refusesSecondConnect) ? .attributeInProgress : .failed("Operation already in progress")
            case .cancelled: .failed(hasTexts ? "br-connection-canceled" : "Operation canceled")
            default: .failed(hasTexts ? "le-connection-abort-by-local" : "Software caused connection abort")
            }
    }

    /// The error of Pair: btd_error_bonding in src/device.c.
    init(ofPair failure: PairingFailure) {
        switch failure {
        case .notConnected: self.init("org.bluez.Error.ConnectionAttemptFailed", "Page Timeout")
        case .disconnected, .cancelled:
            self.init("org.bluez.Error.AuthenticationCanceled", "Authentication Canceled")
        case .alreadyPaired: self.init("org.bluez.Error.AlreadyExists", "Already Paired")
        case .inProgress: self = .inProgress
        case .none: self = .doesNotExist
        case .failed: self = .authenticationFailed
        }
    }
}
