import Basics
import Bluetooth
import HCI
import LEHost
import Testing

/// The inputs of a host and its expected outputs, line by line.
struct Line: Sendable {
    fileprivate enum Content {
        case wanted(Host.Command)
        case received(Event)
        case waited(Duration)
        case sends(HCI.Command)
        case tells(Host.Output)
    }

    fileprivate let content: Content
    fileprivate let place: SourceLocation

    private init(_ content: Content, _ place: SourceLocation) { (self.content, self.place) = (content, place) }

    /// A request of the caller.
    static func host(_ command: Host.Command, at place: SourceLocation = #_sourceLocation) -> Line {
        Line(.wanted(command), place)
    }
    /// An event of the controller.
    static func event(_ event: Event, at place: SourceLocation = #_sourceLocation) -> Line {
        Line(.received(event), place)
    }
    /// The controller completes a command.
    static func done(
        _ kind: any AnyCommandKind, _ status: HCIStatus = .success, at place: SourceLocation = #_sourceLocation
    ) -> Line { Line(.received(.complete(kind.opcode, status)), place) }
    /// The controller starts a command, or refuses it.
    static func begun(
        _ kind: any AnyCommandKind, _ status: HCIStatus = .success, at place: SourceLocation = #_sourceLocation
    ) -> Line { Line(.received(.commandStatus(status, 1, kind.opcode)), place) }
    static func wait(_ duration: Duration, at place: SourceLocation = #_sourceLocation) -> Line {
        Line(.waited(duration), place)
    }
    /// The next packet that the host sends must be this command.
    static func sends(_ command: HCI.Command, at place: SourceLocation = #_sourceLocation) -> Line {
        Line(.sends(command), place)
    }
    /// The next other output must be this.
    static func tells(_ output: Host.Output, at place: SourceLocation = #_sourceLocation) -> Line {
        Line(.tells(output), place)
    }
}

extension HostHarness {
    /// Plays the lines.  A difference is reported at the line; so is an unexpected output.
    mutating func play(_ lines: Line...) {
        for line in lines {
            switch line.content {
            case .wanted(let command): say(.command(command), line)
            case .received(let event): say(.received(.event, pool.take(event.octets)), line)
            case .waited(let duration):
                now = now.advanced(by: duration)
                say(.timePassed, line)
            case .sends(let command):
                let octets = sent.isEmpty ? nil : sent.removeFirst()
                let read = octets.flatMap { try? HCI.Command(octets: Array($0.dropFirst())) }
                #expect(read == command, sourceLocation: line.place)
            case .tells(let output):
                #expect((outputs.isEmpty ? nil : outputs.removeFirst()) == output, sourceLocation: line.place)
            }
        }
        #expect(sent.isEmpty && outputs.isEmpty, "unexpected output at the end")
    }

    private mutating func say(_ input: Host.Input, _ line: Line) {
        #expect(sent.isEmpty && outputs.isEmpty, "unexpected output before this line", sourceLocation: line.place)
        (sent, outputs) = ([], [])
        step(input)
    }
}
