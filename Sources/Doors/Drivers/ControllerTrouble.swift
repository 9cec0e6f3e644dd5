import Glibc
import HCI
import LEHost
import Sockets

/// Messages about a controller that cannot be used: the problem, then the fix.
enum ControllerTrouble {
    /// A controller failed.
    static func message(_ failure: Host.Failure, _ address: ControllerAddress) -> String {
        let fix = fix(for: failure, address)
        return "\(address): \(failure)\(fix.isEmpty ? "" : " (\(fix))")"
    }

    /// The transport to a controller ended.
    static func message(_ failure: H4Transport.Failure, _ address: ControllerAddress) -> String {
        switch (failure, address) {
        case (_, .stream(let stream)): failure.description(at: stream)
        case (.stream(.broken(EPIPE)), .adapter(let index)), (.stream(.broken(ENODEV)), .adapter(let index)),
            (.closed, .adapter(let index)):
            "\(address): the adapter has gone (plug it in again; if USB has reset it, see \(doctor(index)))"
        case (.framing(let failure), .adapter): "\(address): the adapter sends no HCI packets: \(failure)"
        case (.stream(let failure), .adapter): "\(address): \(failure)"
        }
    }

    /// A controller cannot lose a link: Bumble's, for example.
    static let keepsLinks =
        "the controller keeps its links through HCI Reset, so links end with a Disconnect instead of a silent loss "
        + "(use another controller: an adapter, --radio hci:0, or lubdub controller)"

    /// The time was over before a controller had answered a command; nil: before the stream was open.
    static func silence(_ command: Opcode?, _ address: ControllerAddress) -> String {
        guard let command else { return "\(address): the connection was not established in time (\(check(address)))" }
        return "\(address): the controller did not answer \(command) in time (\(check(address)))"
    }

    private static func check(_ address: ControllerAddress) -> String {
        switch address {
        case .stream: "check that a controller listens there, and serves no other host; restart it"
        case .adapter: "plug the adapter in again; the kernel's log may have the reason: sudo dmesg"
        }
    }

    private static func doctor(_ adapter: UInt16) -> String { "lubdub doctor --radio hci:\(adapter)" }

    private static func fix(for failure: Host.Failure, _ address: ControllerAddress) -> String {
        switch failure {
        case .noAnswer, .takesNoCommands: check(address)
        case .startRefused:
            switch address {
            case .stream: "restart the controller, and close other programs that use it"
            case .adapter: "plug the adapter in again, or use another one"
            }
        case .hardware:
            switch address {
            case .stream: ""
            case .adapter(let index): "its driver has reset it; start again, and see \(doctor(index))"
            }
        case .startMalformed, .noBuffers, .tooManyCommands, .outside: ""
        }
    }
}
