import Basics
import HCI
import Sockets

extension H4Transport {
    /// A transport to a controller that Lubdub does not simulate.
    convenience init(
        above address: ControllerAddress, on loop: EventLoop, framer: H4Framer = H4Framer()
    ) throws(Obstacle) {
        switch address {
        case .stream(let address): self.init(try orFail { try StreamConnection(to: address, on: loop) }, framer: framer)
        case .adapter(let index): self.init(try BorrowedAdapter(index, on: loop), framer: framer)
        }
    }
}
