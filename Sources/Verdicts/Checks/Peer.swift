package import Bluetooth
import HCI
import TextFormatting

/// How the command line names a peripheral.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
    case address(DeviceAddress)
    /// The 48 bits of its address, public or random.
    case number(UInt64)
    case name(String)

    /// Reads `C0:FF:EE:00:00:01`, the same followed by `/public` or `/random`, or a name.
    package init(_ text: String) {
        guard let address = DeviceAddress(text) else {
            self = .name(text)
            return
        }
        self = text.contains("/") ? .address(address) : .number(address.number)
    }

    /// As on the command line.
    package var description: String {
        switch self {
        case .address(let address): "\(address)"
        case .number(let number): String("\(DeviceAddress(number, .random))".prefix(while: { $0 != "/" }))
        case .name(let name): name.quoted
        }
    }
}
