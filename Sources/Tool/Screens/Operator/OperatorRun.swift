package import Basics
package import Cases
import CommandSupport
import Drivers
import Expectations
import Glibc
package import Linux
import ScenarioModel
import Synchronization
import VirtualWorld

/// The source of an operator's answers: a terminal, or lines of standard input.
package struct OperatorConsole: Sendable {
    /// Nil when standard input is not a terminal.
    let terminal: TerminalDevice?
    let lines = OperatorLines()

    package init(terminal: TerminalDevice?) { self.terminal = terminal }
}

/// An operator with an app as the client under test: answers become lines of the client.
package actor OperatorRun: ClientSession {
    private struct Shown {
        let expectation: Int
        let opened: Instant
        let text: String
        var misread = 0  // lines
    }

    private static let beat = Duration.milliseconds(50)
    private static let maximumMisread = 100  // lines to one question: piped input cannot be corrected

    package nonisolated let loop: EventLoop
    private let live: LiveWorld
    private let scenario: Scenario
    private let caseID: String
    private let console: OperatorConsole
    private let completion: RunCompletion
    private let open: @Sendable () async throws -> Void
    private let report: @Sendable (Instant, ClientLine) -> Void
    private let isOnBlueZ: Bool
    private let reader: LineReader
    private let questions: [OperatorPrompt?]  // by expectation
    private var session: OperatorSession?
    private var typed: [String] = []
    private var hasEnded = false  // no more input
    private var hasBegun = false
    private var opening: Task<Void, any Error>?
    private var isOver = false
    private var announced: [Int: Instant] = [:]  // by expectation, the opening
    private var shown: Shown?  // the current question
    private var record = ClientRecord()

    package init(_ operatorCase: OperatorCase, _ console: OperatorConsole) {
        (live, completion, open) = (operatorCase.live, operatorCase.completion, operatorCase.open)
        (report, self.console, loop) = (operatorCase.report, console, live.loop)
        (scenario, caseID) = (operatorCase.plan.scenario, operatorCase.plan.caseID)
        reader = LineReader(operatorCase.plan.patterns)
        isOnBlueZ = operatorCase.radio == .bluetoothd
        questions = scenario.expectations.map(OperatorPrompt.init)
    }

    package func start() async {
        if let terminal = console.terminal {
            let session = OperatorSession(terminal, on: loop, completion) { [weak self] line in
                self?.assumeIsolated { $0.typed(line) }
            }
            self.session = session
            await session.start()
        }
        introduce()
        show("\(caseID): press Enter to start")
        look()
    }

    package func end(_ signals: Signals) async -> ClientRecord {
        isOver = true
        await session?.stop()
        opening?.cancel()
        try? await opening?.value
        record.hasPlayed = await live.isPlaying
        if !hasBegun {
            record.absence = "the input ended before the operator started the case"
        } else if await live.observer?.waitsForConnection ?? false {
            record.hasPlayed = false
            record.absence = "no app had connected by \(await live.visit { _, now in now }) s"
        }
        return record
    }

    private func typed(_ line: String?) {
        if let line { typed.append(line) } else { hasEnded = true }
    }

    private func introduce() {
        // Quoting keeps text from the file on one line.
        Console.complain("\(caseID): \(scenario.name.quoted.dropFirst().dropLast())")
        if let note = scenario.note { Console.complain("  \(note.quoted.dropFirst().dropLast())") }
        let target = scenario.target ?? 0
        guard scenario.devices.indices.contains(target) else { return }
        let (name, address) = (scenario.devices[target].name.quoted, scenario.devices[target].address)
        // bluetoothd advertises with the adapter's address.
        let peer = isOnBlueZ ? name : "\(name) (\(address))"
        Console.complain("  open the app; after the start, connect it to \(peer)")
    }

    // MARK: Questions

    private func look() {
        guard !isOver else { return }
        if hasBegun { ask() } else { begin() }
        loop.call(at: loop.now.advanced(by: Self.beat)) { [weak self] in
            self?.assumeIsolated { $0.look() }
        }
    }

    private func begin() {
        guard nextLine() != nil else {
            if isAtEnd { completion.finish(.time) }
            return
        }
        hasBegun = true
        prompt("")
        opening = loop.start { [open, completion] in
            do { try await open() } catch {
                completion.finish(.failure("\(error)"))
            }
        }
    }

    private func ask() {
        let inquiries = live.assumeIsolated { ($0.observer as? Judge)?.operatorQuestions ?? [] }
        for inquiry in inquiries where announced[inquiry.expectation] != inquiry.opened {
            announced[inquiry.expectation] = inquiry.opened
            if let question = questions[inquiry.expectation] { Console.complain("\(question.announcement)") }
        }
        // A question does not change while the operator types.
        if session?.assumeIsolated({ $0.isTyping }) ?? false { return }
        guard let inquiry = next(inquiries), let question = questions[inquiry.expectation] else {
            shown = nil
            prompt("")
            return forget()
        }
        let text = question.text(isDue: inquiry.isDue, isAgain: inquiry.isAgain)
        if shown?.expectation != inquiry.expectation || shown?.opened != inquiry.opened || shown?.text != text {
            forget()
            shown = Shown(expectation: inquiry.expectation, opened: inquiry.opened, text: text)
            show("\(text) (\(question.hint))")
        }
        while let line = nextLine() {
            if take(question.read(line, by: reader), to: inquiry) { return }
        }
        if isAtEnd, let silence = question.silence { answer(.nobody, silence, to: inquiry) }
    }

    /// The next question: due ones first, then by deadline.  Without a terminal, only due ones are asked until the input
    /// ends.
    private func next(_ inquiries: [OperatorQuestion]) -> OperatorQuestion? {
        func order(_ inquiry: OperatorQuestion) -> (Int, Instant) { (inquiry.isDue ? 0 : 1, inquiry.closes ?? .never) }
        let open = session == nil && !isAtEnd ? inquiries.filter(\.isDue) : inquiries
        return open.min { order($0) < order($1) }
    }

    /// Discards input for a question that is no longer asked.
    private func forget() {
        guard !typed.isEmpty else { return }
        Console.complain("that question has passed; ignored: \(typed.joined(separator: " ").abbreviated.quoted)")
        typed = []
    }

    /// Returns whether it was an answer.
    private func take(_ reply: OperatorPrompt.Reply, to inquiry: OperatorQuestion) -> Bool {
        switch reply {
        case .misread(let why):
            Console.complain("\(why)")
            shown?.misread += 1
            guard session == nil, let shown, shown.misread == Self.maximumMisread,
                let silence = questions[inquiry.expectation]?.silence
            else { return false }
            answer(.unknown, silence, to: inquiry)
        case .answer(let answer, let line): self.answer(answer, line, to: inquiry)
        }
        return true
    }

    private func answer(_ answer: OperatorQuestion.Answer, _ line: ClientLine, to inquiry: OperatorQuestion) {
        record.lines += 1
        if line.isMeasurement { record.measurements += 1 }
        let (reception, now) = live.assumeIsolated { live in
            live.visit { world, now in (world.operatorAnswered(answer, to: inquiry, line: line), now) }
        }
        report(now, line)
        guard reception == .early, answer != .unknown else { return }
        let rest = inquiry.closes.map { ": the deadline is \($0) s, now it is \(now) s" } ?? ""
        Console.complain("this is not decided yet\(rest); answer again when it changes")
    }

    // MARK: Input and output

    private func nextLine() -> String? {
        guard session == nil else { return typed.isEmpty ? nil : typed.removeFirst() }
        return console.lines.next()
    }

    private var isAtEnd: Bool { session == nil ? console.lines.hasEnded : hasEnded && typed.isEmpty }

    /// Prints a question; on a terminal, its beginning stays in the last line.
    private func show(_ question: String) {
        Console.complain("\(question)")
        prompt(String(question.prefix { $0 != ":" }) + ">")
    }

    private func prompt(_ text: String) { session?.assumeIsolated { $0.ask(text) } }
}

/// Reads an operator's answers from the terminal; the last line shows the question and the typed text.
actor OperatorSession: TerminalSession {
    private static let maximumLine = 1000

    nonisolated let loop: EventLoop
    let terminal: TerminalDevice
    let completion: RunCompletion
    var watches = TerminalWatches()
    private let take: @Sendable (String?) -> Void
    private var question = ""
    private var typing = Typing()

    /// `take` receives each line, and nil at the end of the input.
    init(
        _ terminal: TerminalDevice, on loop: EventLoop, _ completion: RunCompletion,
        take: @escaping @Sendable (String?) -> Void
    ) {
        (self.terminal, self.loop, self.completion, self.take) = (terminal, loop, completion, take)
    }

    /// Shows a question; none when it is empty.
    func ask(_ question: String) {
        guard question != self.question else { return }
        self.question = question
        draw()
    }

    var isTyping: Bool { !typing.text.isEmpty }

    func resume() {
        guard terminal.take() else { return leave() }
        watchKeys()
        draw()
    }

    func resized() { draw() }

    func typed() {
        guard terminal.isOurs, let octets = terminal.read() else {
            forgetKeys()
            return take(nil)
        }
        for octet in octets {
            switch typing.type(octet) {
            case .line(let line)?:
                Console.complain(TerminalLine("\(question) \(line)".withoutMargin))
                take(line)
            case .end?: take(nil)
            case nil: break
            }
        }
        draw()
    }

    private func draw() {
        let text = "\(question) \(typing.text)".withoutMargin.escapingControls
        let room = terminal.size.columns - 1  // a character in the last column would wrap
        Console.show(last: question.isEmpty && typing.text.isEmpty ? nil : TerminalLine(text.suffix(max(1, room))))
    }

    /// A line editor: backspace, Ctrl-U, and Ctrl-D for the end of the input.
    struct Typing {
        enum Typed: Equatable {
            case line(String)
            case end
        }

        private var octets: [UInt8] = []
        private var isEscaped = false

        var text: String { String(decoding: octets, as: UTF8.self) }

        mutating func type(_ octet: UInt8) -> Typed? {
            if isEscaped {  // an ECMA-48 control sequence starts with `[` or `O` and ends with a letter
                isEscaped = !(0x40...0x7E).contains(octet) || [0x4F, 0x5B].contains(octet)
                return nil
            }
            switch octet {
            case 0x0A, 0x0D:
                defer { octets.removeAll() }
                return .line(text)
            case 0x04: return octets.isEmpty ? .end : nil
            case 0x15: octets.removeAll()
            case 0x08, 0x7F:
                while let last = octets.popLast(), last & 0xC0 == 0x80 {}
            case 0x1B: isEscaped = true
            case 0x00..<0x20: break
            default: if octets.count < OperatorSession.maximumLine { octets.append(octet) }
            }
            return nil
        }
    }
}

extension String {
    fileprivate var withoutMargin: String { first == " " ? String(dropFirst()) : self }
}

/// The lines of a standard input that is not a terminal, for the cases that ask; long lines are truncated.
final class OperatorLines: Sendable {
    private struct State {
        var cutter = LineCutter(longest: 4096)
        var lines: [[UInt8]] = []  // not taken yet
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the input has ended and all lines are taken.
    var hasEnded: Bool { state.withLock { $0.hasEnded && $0.lines.isEmpty } }

    /// The next line; nil when none is available now.
    func next() -> String? {
        state.withLock { state in
            while state.lines.isEmpty, Self.read(&state) {}
            return state.lines.isEmpty ? nil : String(decoding: state.lines.removeFirst(), as: UTF8.self)
        }
    }

    /// Reads without waiting; returns false when nothing is available.
    private static func read(_ state: inout State) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: CShort(POLLIN), revents: 0)
        guard !state.hasEnded, unsafe poll(&input, 1, 0) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 {
            state.lines += state.cutter.take(buffer[..<count])
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
            state.hasEnded = true
            let rest = state.cutter.finish()
            if !rest.isEmpty { state.lines.append(rest) }
        }
        return true
    }
}
