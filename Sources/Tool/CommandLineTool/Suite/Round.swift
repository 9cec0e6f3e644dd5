import Arguments
import CommandSupport
import Conformance
import Expectations
import Glibc
import Simulation

/// Cases that are played side by side, each on a thread of its own: one more thread hands them out, hears how they end,
/// and passes on the signals that come.
struct SuiteScheduler: Sendable {
    typealias Turn = CaseRunner<Case>.Turn

    /// How a turn ended.
    enum CaseCompletion: Sendable {
        case played(CaseResult)
        /// It could not be played, or its logs not be written.
        case failed(CommandFailure, title: String)

        /// What is reported; nil when somebody interrupted it.
        var outcome: Outcome? {
            switch self {
            case .played(let result): result.code.isInterruption ? nil : result.outcome
            case .failed(let failure, let title): Outcome(.error, title: title, reasons: [failure.description])
            }
        }

        var result: CaseResult? { if case .played(let result) = self { result } else { nil } }
    }

    private enum News: Sendable {
        case ended(Turn, CaseCompletion)
        case signal(Int32)
    }

    /// What is done in a round.
    struct Callbacks: Sendable {
        /// Plays one, on a thread of its own.
        var play: @Sendable (Turn, Signals) -> CaseCompletion
        /// Says how it ended.
        var tell: @Sendable (Turn, CaseCompletion) -> Void
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
    private(set) var last: CaseCompletion?
    private let jobs: Int
    private let isInOrder: Bool
    private let callbacks: Callbacks
    private var playing: [(turn: Turn, relay: SignalRelay)] = []
    private var unreported: [(turn: Turn, completion: CaseCompletion)] = []
    private var nextTold = 0  // the place of a case, where they are told in order

    /// Of which so many are played at once; `isInOrder` tells them in the suite's order, else as they end.
    init(_ runner: CaseRunner<Case>, jobs: Int, isInOrder: Bool, _ callbacks: Callbacks) {
        (self.runner, self.jobs, self.isInOrder, self.callbacks) = (runner, jobs, isInOrder, callbacks)
    }

    /// Plays all of them, or those that begin before `signals` say that it is enough; the round as it is then.
    func played(_ signals: Signals) throws(CommandFailure) -> SuiteScheduler {
        let loop = EventLoop(pace: .real())
        do {
            return try loop.run { [self] in
                var scheduler = self
                let (news, desk) = AsyncStream.makeStream(of: News.self)
                let watch = signals.watch(on: loop) { desk.yield(.signal($0)) }
                defer { loop.cancel(watch) }
                scheduler.handOut(to: desk)
                guard !scheduler.playing.isEmpty else { return scheduler }
                for await item in news {
                    switch item {
                    case .signal(let number): scheduler.interrupt(number)
                    case .ended(let turn, let completion): scheduler.ended(turn, completion)
                    }
                    scheduler.handOut(to: desk)
                    if scheduler.playing.isEmpty { break }
                }
                scheduler.tellRest()
                return scheduler
            }
        } catch { throw CommandFailure(.inner, "\(error)") }
    }

    private mutating func handOut(to desk: AsyncStream<News>.Continuation) {
        while interruption == nil, playing.count < jobs, let turn = runner.next() {
            do throws(CommandFailure) {
                let relay = try SignalRelay()
                try DetachedThread.start { [callbacks] in
                    desk.yield(.ended(turn, callbacks.play(turn, relay.signals)))
                }
                playing.append((turn, relay))
            } catch { ended(turn, .failed(error, title: turn.item.id)) }
        }
        callbacks.showProgress(runner.count, playing.map(\.turn.item.id))
    }

    private mutating func interrupt(_ number: Int32) {
        interruption = interruption ?? .signal(number)
        for (_, relay) in playing { relay.send(number) }
    }

    private mutating func ended(_ turn: Turn, _ completion: CaseCompletion) {
        playing.removeAll { $0.turn.place == turn.place }
        last = completion
        if case .played(let result) = completion, result.code.isInterruption {
            interruption = interruption ?? result.code
        }
        let hasEnded = runner.ended(turn, completion.outcome, isSpoilt: completion.result?.disturbance != nil)
        if turn.isSecond, hasEnded { unreported.removeAll { $0.turn.place == turn.place } }
        if hasEnded, !isInOrder { callbacks.tell(turn, completion) } else { unreported.append((turn, completion)) }
        tellNext()
        interruption = interruption ?? callbacks.interruption()
    }

    /// Tells those whose turn it is.
    private mutating func tellNext() {
        guard isInOrder else { return }
        while let index = unreported.firstIndex(where: { $0.turn.place == nextTold }) {
            let (turn, completion) = unreported.remove(at: index)
            nextTold += 1
            callbacks.tell(turn, completion)
        }
    }

    /// Tells what could not be told, since somebody interrupted the others.
    private mutating func tellRest() {
        for (turn, completion) in unreported.sorted(by: { $0.turn.place < $1.turn.place }) {
            callbacks.tell(turn, completion)
        }
        unreported.removeAll()
    }
}
