import Basics
import Cases
import CommandSupport
import Drivers
import Glibc
import Screens
import Sockets

extension ClientUnderTest {
    /// The client of `--client` or `--ask`; nil when the built-in client is under test.
    init?(_ invocation: Invocation) throws(Obstacle) {
        let driver: Driver
        if let command = invocation.text("--client") {
            guard command.contains(where: { !$0.isWhitespace }) else {
                throw Obstacle(.usage, "--client is empty: give the command line that starts your client")
            }
            driver = .command(command)
        } else if invocation.has("--ask") {
            let isTerminal = isatty(STDIN_FILENO) == 1
            let console = OperatorConsole(terminal: isTerminal ? TerminalDevice(on: STDERR_FILENO) : nil)
            driver = .operator { OperatorRun($0, console) }
        } else {
            return nil
        }
        let attachment: Attachment
        let radios = try DeviceRadios(invocation)
        if let system = try PlayedSystem(invocation) {
            guard case .command = driver, radios == nil, invocation.texts("--controller").isEmpty else {
                throw Obstacle(
                    .usage, "--system needs --client, and cannot be combined with --radio and --controller")
            }
            attachment = .system(system)
        } else if let radios {
            attachment = .radios(radios)
        } else {
            let offered = invocation.texts("--controller")
            let places = try (offered.isEmpty ? ["tcp:127.0.0.1:0"] : offered).map(ControllerPlace.init)
            guard places.count == 1 || !places.contains(.kernel) else {
                throw Obstacle(
                    .usage, "--controller vhci excludes others: the kernel's adapter is the client's only controller")
            }
            attachment = .controllers(places)
        }
        let text = invocation.text("--said")
        let lineSocket = try text.map { text throws(Obstacle) in
            try orFail(.usage, "--said: ") { try StreamAddress(text) }
        }
        let obstacle = Self.obstacleToVirtualTime(driver, attachment, hasLineSocket: lineSocket != nil)
        let pace = try ClientPace(invocation, realTimeFor: obstacle)
        self.init(driver, attachment, lineSocket: lineSocket, pace: pace)
    }

    /// Which option puts somebody into the case who is in real time, and why.
    private static func obstacleToVirtualTime(
        _ driver: Driver, _ attachment: Attachment, hasLineSocket: Bool
    ) -> String? {
        if case .operator = driver { return "--ask: an operator is in real time" }
        if hasLineSocket { return "--said: who connects there is in real time" }
        switch attachment {
        case .radios: return "--radio: a radio is in real time"
        case .controllers(let places) where places.contains(.kernel):
            return "--controller vhci: the kernel is in real time"
        case .controllers, .system: return nil
        }
    }
}
