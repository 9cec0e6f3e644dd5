import Expectations
import Scenarios
import Simulation
import Spelling
import VirtualWorld

/// Where the answers of a person come from: a terminal, or lines of standard input.
struct AnswerDesk: Sendable {
    /// Nil where standard input is none.
    let terminal: Terminal?
    let lines = AnswerLines()
}

/// A person with an app in front of a live world: what they say that it shows becomes what a client said.
actor PersonCase: Examinee {
    private struct Put {
        let expectation: Int
        let opened: Instant
        let text: String
        var misread = 0  // lines
    }

    private static let beat = Duration.milliseconds(50)
    private static let mostMisread = 100  // lines to one question: who pipes them in cannot be asked to mend them

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let live: LiveWorld
    private let scenario: Scenario
    private let caseID: String
    private let desk: AnswerDesk
    private let ending: Ending
    private let open: @Sendable () async throws -> Void
    private let tell: @Sendable (Instant, ClientLine) -> Void
    private let isOnBlueZ: Bool
    private let questions: [AppQuestion?]  // by expectation
    private var session: AnswerSession?
    private var typed: [String] = []
    private var hasEnded = false  // nothing more will be typed
    private var hasBegun = false
    private var opening: Task<Void, any Error>?
    private var isOver = false
    private var announced: [Int: Instant] = [:]  // by expectation, the opening
    private var put: Put?  // the question that stands there
    private var record = ClientRecord()

    /// `open` switches the devices on, when the person says that the app is ready.
    init(
        _ played: Played, _ live: LiveWorld, on radio: RadioKind, _ desk: AnswerDesk, _ ending: Ending,
        open: @escaping @Sendable () async throws -> Void, tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) {
        (self.live, self.desk, self.ending, self.open, self.tell) = (live, desk, ending, open, tell)
        (scenario, caseID, loop) = (played.scenario, played.caseID, live.loop)
        isOnBlueZ = radio == .bluetoothd
        questions = played.scenario.expectations.map(AppQuestion.init)
    }

    func start() async {
        if let terminal = desk.terminal {
            let session = AnswerSession(terminal, on: loop, ending) { line in
                self.assumeIsolated { $0.typed(line) }
            }
            self.session = session
            await session.start()
        }
        introduce()
        show("\(caseID): press Enter to begin")
        look()
    }

    func end(_ signals: Signals) async -> ClientRecord {
        isOver = true
        await session?.stop()
        opening?.cancel()
        try? await opening?.value
        record.hasPlayed = await live.isPlaying
        if !hasBegun {
            record.absence = "nobody said that the app is ready: there are no answers left to read"
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
        // Quoted, it stays on one line whatever the file says.
        Console.complain("\(caseID): \(scenario.name.quoted.dropFirst().dropLast())")
        if let note = scenario.note { Console.complain("  \(note.quoted.dropFirst().dropLast())") }
        let target = scenario.target ?? 0
        guard scenario.devices.indices.contains(target) else { return }
        let (name, address) = (scenario.devices[target].name.quoted, scenario.devices[target].address)
        // An adapter of bluetoothd's has an address of its own.
        let peer = isOnBlueZ ? name : "\(name) (\(address))"
        Console.complain("  open the app; when this has begun, connect it to \(peer)")
    }

    // MARK: Again and again

    private func look() {
        guard !isOver else { return }
        if hasBegun { ask() } else { begin() }
        loop.call(at: loop.now.advanced(by: Self.beat)) { self.assumeIsolated { $0.look() } }
    }

    private func begin() {
        guard nextLine() != nil else {
            if isAtEnd { ending.say(.time) }
            return
        }
        hasBegun = true
        prompt("")
        opening = loop.start { [open, ending] in
            do { try await open() } catch {
                ending.say(.failure((error as? CommandFailure)?.message ?? "lubdub: \(error)"))
            }
        }
    }

    private func ask() {
        let inquiries = live.assumeIsolated { $0.operatorQuestions }
        for inquiry in inquiries where announced[inquiry.expectation] != inquiry.opened {
            announced[inquiry.expectation] = inquiry.opened
            if let question = questions[inquiry.expectation] { Console.complain(question.announcement) }
        }
        // Who has begun to answer is not asked something else before they have ended.
        if session?.assumeIsolated({ $0.isTyping }) ?? false { return }
        guard let inquiry = next(inquiries), let question = questions[inquiry.expectation] else {
            put = nil
            prompt("")
            return forget()
        }
        let text = question.text(isDue: inquiry.isDue, isAgain: inquiry.isAgain)
        if put?.expectation != inquiry.expectation || put?.opened != inquiry.opened || put?.text != text {
            forget()
            put = Put(expectation: inquiry.expectation, opened: inquiry.opened, text: text)
            show("\(text) (\(question.hint))")
        }
        while let line = nextLine() {
            if take(question.read(line), to: inquiry) { return }
        }
        if isAtEnd, let silence = question.silence { answer(.nobody, silence, to: inquiry) }
    }

    /// What is asked first: what is over, then what is over first.  Lines that were not typed by a person at a terminal
    /// are not taken before that.
    private func next(_ inquiries: [OperatorQuestion]) -> OperatorQuestion? {
        func order(_ inquiry: OperatorQuestion) -> (Int, Instant) { (inquiry.isDue ? 0 : 1, inquiry.closes ?? .never) }
        let open = session == nil && !isAtEnd ? inquiries.filter(\.isDue) : inquiries
        return open.min { order($0) < order($1) }
    }

    /// What was typed to a question that is not put any more answers no other.
    private func forget() {
        guard !typed.isEmpty else { return }
        Console.complain("that is not asked any more: \(typed.joined(separator: " ").brief.quoted)")
        typed = []
    }

    /// Whether it was an answer.
    private func take(_ reply: AppQuestion.Reply, to inquiry: OperatorQuestion) -> Bool {
        switch reply {
        case .misread(let why):
            Console.complain(why)
            put?.misread += 1
            guard session == nil, let put, put.misread == Self.mostMisread,
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
        tell(now, line)
        guard reception == .early, answer != .unknown else { return }
        let rest = inquiry.closes.map { ": it has until \($0) s, and now is \(now) s" } ?? ""
        Console.complain("that is not settled yet\(rest); say when it changes")
    }

    // MARK: Lines

    private func nextLine() -> String? {
        guard session == nil else { return typed.isEmpty ? nil : typed.removeFirst() }
        return desk.lines.next()
    }

    private var isAtEnd: Bool { session == nil ? desk.lines.hasEnded : hasEnded && typed.isEmpty }

    /// Puts a question; on a terminal, what begins it stays in the last line.
    private func show(_ question: String) {
        Console.complain(question)
        prompt(String(question.prefix { $0 != ":" }) + ">")
    }

    private func prompt(_ text: String) { session?.assumeIsolated { $0.ask(text) } }
}
