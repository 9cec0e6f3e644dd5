import Bluetooth
package import Sockets

/// Why the value of `LUBDUB_CONTROLLER` is not the address of a controller: the problem, then the fix.
package struct UnusableController: Error, CustomStringConvertible {
    /// Without a line feed.
    package let description: String
}

extension StreamAddress {
    /// Reads the value of the variable `LUBDUB_CONTROLLER`; nil if it is not set.
    package init(ofController text: String?) throws(UnusableController) {
        guard let text else {
            throw UnusableController(
                description: "there is no radio (set LUBDUB_CONTROLLER, for example to tcp:127.0.0.1:6402)")
        }
        do throws(Unreadable) { try self.init(text) } catch {
            guard let adapter = adapterIndex(text) else {
                throw UnusableController(description: "LUBDUB_CONTROLLER: \(error)")
            }
            throw UnusableController(
                description: "LUBDUB_CONTROLLER: hci\(adapter) is an adapter of this machine, which apps cannot open "
                    + "(set it to the address that lubdub bridge hci:\(adapter) prints; under lubdub run, remove "
                    + "--controller vhci)")
        }
    }
}

/// The number in `hci1` or `hci:1`; nil if it is another text.
private func adapterIndex(_ text: String) -> UInt16? {
    text.hasPrefix("hci:") ? AdapterName.number(text.dropFirst("hci:".count)) : AdapterName.number(in: text)
}
