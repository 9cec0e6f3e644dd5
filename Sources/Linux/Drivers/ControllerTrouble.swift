import HCI
import LEHost
import Sockets

/// Messages about a controller that cannot be used: the problem, then the fix.
enum ControllerTrouble {
    /// A controller failed.
    static func message(_ failure: Host.Failure, _ address: StreamAddress) -> String {
        let fix = fix(for: failure)
        return "\(address): \(failure)\(fix.isEmpty ? "" : " (\(fix))")"
    }

    /// The time was over before a controller had answered a command; nil: before the stream was open.
    static func silence(_ command: Opcode?, _ address: StreamAddress) -> String {
        guard let command else { return "\(address): the connection was not established in time (\(Self.check))" }
        return "\(address): the controller did not answer \(command) in time (\(Self.check))"
    }

    private static let check = "check that a controller listens there, and serves no other host; restart it"

    private static func fix(for failure: Host.Failure) -> String {
        switch failure {
        case .noAnswer, .takesNoCommands: check
        case .startRefused: "restart the controller, and close other programs that use it"
        case .startMalformed, .noBuffers, .hardware, .tooManyCommands, .outside: ""
        }
    }
}
