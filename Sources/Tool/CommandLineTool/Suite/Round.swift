import Arguments
import Conformance
import Expectations
import Glibc
import Simulation

/// Cases that are played side by side, each on a thread of its own: one more thread hands them out, hears how they end,
/// and passes on the signals that come.
struct Round: Sendable {
    typealias Turn = CaseRunner<Case>.Turn

    /// How a turn ended.
    enum Ending: Sendable {
        case played(Course)
        /// It could not be played, or its logs not be written.
        case failed(CommandFailure, title: String)

        /// What is reported; nil when somebody interrupted it.
        var outcome: Outcome? {
            switch self {
            case .played(let course): course.code.isInterruption ? nil : course.outcome
            case .failed(let failure, let title): Outcome(.error, title: title, reasons: [failure.message])
            }
        }

        var course: Course? { if case .played(let course) = self { course } else { nil } }
    }

    private enum News: Sendable {
        case ended(Turn, Ending)
        case signal(Int32)
    }

    /// What is done in a round.
    struct Habits: Sendable {
        /// Plays one, on a thread of its own.
        var play: @Sendable (Turn, Signals) -> Ending
        /// Says how it ended.
        var tell: @Sendable (Turn, Ending) -> Void
        /// Says how many have ended, and which are being played.
        var showProgress: @Sendable (_ ended: Int, _ ids: [String]) -> Void = { _, _ in }
        /// Why no more are to be played.
        var interruption: @Sendable () -> ExitCode? = { Console.failure == EPIPE ? .signal(SIGPIPE) : nil }
    }

    /// What came of the cases.
    private(set) var runner: CaseRunner<Case>
    /// Why not all were played.
    private(set) var interruption: ExitCode?
    /// How the last turn ended.
    private(set) var last: Ending?
    private let jobs: Int
    private let isInOrder: Bool
    private let habits: Habits
    private var playing: [(turn: Turn, relay: SignalRelay)] = []
    private var untold: [(turn: Turn, ending: Ending)] = []
    private var nextTold = 0  // the place of a case, where they are told in order

    /// Of which so many are played at once; `isInOrder` tells them in the suite's order, else as they end.
    init(_ runner: CaseRunner<Case>, jobs: Int, isInOrder: Bool, _ habits: Habits) {
        (self.runner, self.jobs, self.isInOrder, self.habits) = (runner, jobs, isInOrder, habits)
    }

    /// Plays all of them, or those that begin before `signals` say that it is enough; the round as it is then.
    func played(_ signals: Signals) throws(CommandFailure) -> Round {
        let loop = EventLoop(pace: .real())
        do {
            return try loop.run { [self] in
                var round = self
                let (news, desk) = AsyncStream.makeStream(of: News.self)
                let watch = signals.watch(on: loop) { desk.yield(.signal($0)) }
                defer { loop.cancel(watch) }
                round.handOut(to: desk)
                guard !round.playing.isEmpty else { return round }
                for await item in news {
                    switch item {
                    case .signal(let number): round.interrupt(number)
                    case .ended(let turn, let ending): round.ended(turn, ending)
                    }
                    round.handOut(to: desk)
                    if round.playing.isEmpty { break }
                }
                round.tellRest()
                return round
            }
        } catch { throw CommandFailure(.inner, "lubdub: \(error)") }
    }

    private mutating func handOut(to desk: AsyncStream<News>.Continuation) {
        while interruption == nil, playing.count < jobs, let turn = runner.next() {
            do throws(CommandFailure) {
                let relay = try SignalRelay()
                try SideThread.start { [habits] in
                    desk.yield(.ended(turn, habits.play(turn, relay.signals)))
                }
                playing.append((turn, relay))
            } catch { ended(turn, .failed(error, title: turn.item.id)) }
        }
        habits.showProgress(runner.count, playing.map(\.turn.item.id))
    }

    private mutating func interrupt(_ number: Int32) {
        interruption = interruption ?? .signal(number)
        for (_, relay) in playing { relay.send(number) }
    }

    private mutating func ended(_ turn: Turn, _ ending: Ending) {
        playing.removeAll { $0.turn.place == turn.place }
        last = ending
        if case .played(let course) = ending, course.code.isInterruption { interruption = interruption ?? course.code }
        let hasEnded = runner.ended(turn, ending.outcome, isDisturbed: ending.course?.disturbance != nil)
        if turn.isSecond, hasEnded { untold.removeAll { $0.turn.place == turn.place } }
        if hasEnded, !isInOrder { habits.tell(turn, ending) } else { untold.append((turn, ending)) }
        tellNext()
        interruption = interruption ?? habits.interruption()
    }

    /// Tells those whose turn it is.
    private mutating func tellNext() {
        guard isInOrder else { return }
        while let index = untold.firstIndex(where: { $0.turn.place == nextTold }) {
            let (turn, ending) = untold.remove(at: index)
            nextTold += 1
            habits.tell(turn, ending)
        }
    }

    /// Tells what could not be told, since somebody interrupted the others.
    private mutating func tellRest() {
        for (turn, ending) in untold.sorted(by: { $0.turn.place < $1.turn.place }) { habits.tell(turn, ending) }
        untold.removeAll()
    }
}
