import Arguments
package import CommandSupport
package import Sockets

/// Where a host outside finds a virtual controller.
package enum ControllerPlace: Hashable, Sendable {
    /// A stream that speaks H4; each connection has a controller to itself.
    case stream(StreamAddress)
    /// An interface of this machine's kernel, such as `hci1`.
    case kernel

    /// Reads `tcp:HOST:PORT`, `unix:PATH` or `vhci`.
    package init(_ text: String) throws(CommandFailure) {
        guard text != "vhci" else {
            self = .kernel
            return
        }
        do throws(StreamAddress.Unreadable) { self = .stream(try StreamAddress(text)) } catch {
            throw CommandFailure(.usage, "\(error), or vhci")
        }
    }
}
