import Arguments
package import CommandSupport
package import Sockets

/// Where an external host finds a virtual controller.
package enum ControllerPlace: Hashable, Sendable {
    /// An H4 stream; each connection has its own controller.
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
