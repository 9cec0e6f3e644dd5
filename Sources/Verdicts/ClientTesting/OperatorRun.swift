import CommandSupport
import Drivers
import Expectations
import ScenarioRuns
import Scenarios
import Simulation
import Terminal
import TextFormatting
import VirtualWorld

/// The source of an operator's answers: a terminal, or lines of standard input.
struct OperatorConsole: Sendable {
    /// Nil when standard input is not a terminal.
    package let terminal: TerminalDevice?
    package let lines = OperatorLines()
}

/// An operator with an app as the client under test: answers become lines of the client.
actor OperatorRun: ClientSession {
    private struct Shown {
        let expectation: Int
        package let opened: Instant
        package let text: String
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

    /// `open` switches the devices on when the operator is ready.
    init(
        _ configuration: RunConfiguration, _ live: LiveWorld, on radio: RadioKind, _ console: OperatorConsole,
        _ completion: RunCompletion,
        open: @escaping @Sendable () async throws -> Void, report: @escaping @Sendable (Instant, ClientLine) -> Void
    ) {
        (self.live, self.console, self.completion, self.open, self.report) = (live, console, completion, open, report)
        (scenario, caseID, loop) = (configuration.scenario, configuration.caseID, live.loop)
        isOnBlueZ = radio == .bluetoothd
        questions = configuration.scenario.expectations.map(OperatorPrompt.init)
    }

    package func start() async {
        if let terminal = console.terminal {
            let session = OperatorSession(terminal, on: loop, completion) { line in
                self.assumeIsolated { $0.typed(line) }
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
        } else if await live.waitsForConnection {
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
        loop.call(at: loop.now.advanced(by: Self.beat)) { self.assumeIsolated { $0.look() } }
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
        let inquiries = live.assumeIsolated { $0.operatorQuestions }
        for inquiry in inquiries where announced[inquiry.expectation] != inquiry.opened {
            announced[inquiry.expectation] = inquiry.opened
            if let question = questions[inquiry.expectation] { Console.complain(question.announcement) }
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
            if take(question.read(line), to: inquiry) { return }
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
            Console.complain(why)
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
        Console.complain(question)
        prompt(String(question.prefix { $0 != ":" }) + ">")
    }

    private func prompt(_ text: String) { session?.assumeIsolated { $0.ask(text) } }
}
