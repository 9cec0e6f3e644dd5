import CBluetooth
import Glibc

/// What the kernel knows about an adapter, whoever uses it.
package struct AdapterState: Hashable, Sendable {
    /// Who can use it.
    package enum Use: Hashable, Sendable {
        /// The kernel's host and bluetoothd, or Lubdub.
        case free
        /// A program has it to itself, over its user channel.
        case taken
        /// Nobody: the kernel could not set it up, or does so now.
        case notSetUp
    }

    /// Who can use it.
    package let use: Use
    /// Whether it supports Bluetooth LE; nil while that is not known.
    package let supportsLowEnergy: Bool?

    init(use: Use, supportsLowEnergy: Bool?) { (self.use, self.supportsLowEnergy) = (use, supportsLowEnergy) }

    /// Asks the kernel, which needs no privileges; nil if it does not answer.
    ///
    /// The Management API lists only adapters that are set up and that no program has to itself.  Among the others, only
    /// those of a program run.
    package init?(of adapter: UInt16) {
        do throws(AdapterFailure) {
            let management = try ManagementChannel()
            if try management.adapters().contains(adapter) {
                let information = try management.information(about: adapter)
                self.init(use: .free, supportsLowEnergy: information.supportsLowEnergy)
            } else {
                guard let isRunning = Self.isRunning(adapter) else { return nil }
                self.init(use: isRunning ? .taken : .notSetUp, supportsLowEnergy: nil)
            }
        } catch { return nil }
    }

    /// The flag `HCI_UP`; nil if there is no such adapter.
    private static func isRunning(_ adapter: UInt16) -> Bool? {
        let descriptor = socket(AF_BLUETOOTH, CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), CInt(BTPROTO_HCI))
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = hci_dev_info()
        information.dev_id = adapter
        guard unsafe getDeviceInfo(descriptor, &information) == 0 else { return nil }
        return information.flags & 1 << UInt32(HCI_UP) != 0
    }
}
