package import Basics
package import Conformance
import Expectations
import Glibc
package import Linux

/// Runs cases in parallel, each on its own thread.
///
/// The calling thread starts them, collects their results, and forwards signals to them.
package struct SuiteScheduler: Sendable {
    package typealias Turn = CaseRunner<Case>.Turn

    package enum CaseCompletion: Sendable {
        case played(CaseResult)
        /// The case could not be run, or its logs could not be written.
        case failed(Obstacle, title: String)

        /// The outcome for reports; nil when a signal interrupted the case.
        package var outcome: Outcome? {
            switch self {
            case _ where interruption != nil: nil
            case .played(let result): result.outcome
            case .failed(let failure, let title): Outcome(.error, title: title, reasons: failure.lines)
            }
        }

        /// The signal that interrupted the case, also while it waited for the reader of its log.
        package var interruption: ExitCode? {
            let code =
                switch self {
                case .played(let result): result.code
                case .failed(let failure, _): failure.code
                }
            return code.isInterruption ? code : nil
        }

        /// The exit code if the case could not be run; nil if it was.
        fileprivate var failure: ExitCode? {
            switch self {
            case .played(let result): result.outcome.verdict == .error ? .internalError : nil
            case .failed(let failure, _): failure.code
            }
        }

        package var result: CaseResult? { if case .played(let result) = self { result } else { nil } }
    }

    private enum Message: Sendable {
        case ended(Turn, CaseCompletion)
        case signal(Int32)
    }

    package struct Callbacks: Sendable {
        /// Runs a case; called on the case's thread.
        package var play: @Sendable (Turn, Signals) -> CaseCompletion
        package var report: @Sendable (Turn, CaseCompletion) -> Void
        /// Shows how many cases have finished, and which are running.
        package var showProgress: @Sendable (_ ended: Int, _ ids: [String]) -> Void = { _, _ in }
        /// Why no more cases may start; nil when there is no reason.
        package var interruption: @Sendable () -> ExitCode?
        /// Makes what passes signals on to a case; throws when the process has no free descriptors.
        package var makeRelay: @Sendable () throws(Obstacle) -> SignalRelay = SignalRelay.init

        package init(
            play: @escaping @Sendable (Turn, Signals) -> CaseCompletion,
            interruption: @escaping @Sendable () -> ExitCode?,
            report: @escaping @Sendable (Turn, CaseCompletion) -> Void
        ) {
            (self.play, self.interruption, self.report) = (play, interruption, report)
        }
    }

    /// How cases are reported, and when no more are started.
    package struct Order: Sendable {
        /// Whether they are reported in the suite's order, instead of as they end.
        package var isSuites = false
        /// Whether the run ends after the first case that did not pass.  In the suite's order, cases after that one are not in the
        /// report, whichever ended first.
        package var endsAtFault = false

        package init(isSuites: Bool = false, endsAtFault: Bool = false) {
            (self.isSuites, self.endsAtFault) = (isSuites, endsAtFault)
        }
    }

    package private(set) var runner: CaseRunner<Case>
    /// Why not all cases were run; nil when all were.
    package private(set) var interruption: ExitCode?
    package private(set) var last: CaseCompletion?
    /// Why no case can start on this machine; nil if cases can.
    package private(set) var obstacle: Obstacle?
    /// The exit code of the gravest of the reported cases that could not be run; nil if there is none.
    package private(set) var failure: ExitCode?
    /// Whether a case that did not pass has ended the run.
    package private(set) var hasFault = false
    private let jobs: Int
    private let order: Order
    private let callbacks: Callbacks
    private var playing: [(turn: Turn, relay: SignalRelay)] = []
    private var unreported: [Int: (turn: Turn, completion: CaseCompletion)] = [:]  // by the position of the case
    private var nextReported = 0  // the position of a case, when they are reported in order
    private var isCut = false  // the cases that are still being played are not reported

    /// Runs at most `jobs` cases at a time.
    package init(_ runner: CaseRunner<Case>, jobs: Int, _ order: Order, _ callbacks: Callbacks) {
        (self.runner, self.jobs, self.order, self.callbacks) = (runner, jobs, order, callbacks)
    }

    /// Runs all cases, or those that start before a signal arrives. Returns the scheduler with their results.
    package func run(_ signals: Signals) throws(Obstacle) -> SuiteScheduler {
        let loop = EventLoop(pace: .real())
        return try orFail {
            try loop.run { [self] in
                var scheduler = self
                let (messages, inbox) = AsyncStream.makeStream(of: Message.self)
                let watch = signals.watch(on: loop) { inbox.yield(.signal($0)) }
                defer { loop.cancel(watch) }
                scheduler.startCases(inbox)
                guard !scheduler.playing.isEmpty else { return scheduler }
                for await message in messages {
                    switch message {
                    case .signal(let number): scheduler.interrupt(number)
                    case .ended(let turn, let completion): scheduler.ended(turn, completion)
                    }
                    scheduler.startCases(inbox)
                    if scheduler.playing.isEmpty { break }
                }
                scheduler.reportRest()
                return scheduler
            }
        }
    }

    /// The report of the run, which says why some of the selected cases are missing.
    package func report(of selected: Int) -> Report {
        var report = runner.report
        guard report.cases.count < selected else { return report }
        let why = obstacle?.description ?? (interruption == nil ? "ended by --until-fail" : "interrupted")
        report.gaps = [
            "\(why): \(report.cases.count) of \(selected.counted("case")) \(selected == 1 ? "was" : "were") run"
        ]
        return report
    }

    private mutating func startCases(_ inbox: AsyncStream<Message>.Continuation) {
        while interruption == nil, obstacle == nil, !hasFault, playing.count < jobs, runner.hasNext {
            let relay: SignalRelay
            do throws(Obstacle) { relay = try callbacks.makeRelay() } catch {
                // A case that ends frees descriptors.
                if playing.isEmpty { obstacle = error }
                break
            }
            guard let turn = runner.next() else { break }
            do throws(Obstacle) {
                try DetachedThread.start { [callbacks] in
                    inbox.yield(.ended(turn, callbacks.play(turn, relay.signals)))
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
        interruption = interruption ?? completion.interruption
        let hasEnded = runner.ended(turn, completion.outcome, isDisturbed: completion.result?.disturbance != nil)
        if turn.isSecond, hasEnded { unreported[turn.place] = nil }
        guard !isCut else { return }
        if hasEnded, order.endsAtFault, completion.outcome?.verdict.isFault == true { hasFault = true }
        if hasEnded, !order.isSuites {
            report(turn, completion)
        } else if unreported[turn.place] == nil {
            unreported[turn.place] = (turn, completion)
        }
        reportNext()
        interruption = interruption ?? callbacks.interruption()
    }

    /// Reports the cases that are next in order.
    private mutating func reportNext() {
        guard order.isSuites else { return }
        while let (turn, completion) = unreported.removeValue(forKey: nextReported) {
            nextReported += 1
            report(turn, completion)
            guard order.endsAtFault, completion.outcome?.verdict.isFault == true else { continue }
            runner.end(after: turn)
            unreported.removeAll()
            isCut = true
        }
    }

    /// Reports the cases that wait for others that were interrupted.
    private mutating func reportRest() {
        for (_, (turn, completion)) in unreported.sorted(by: { $0.key < $1.key }) { report(turn, completion) }
        unreported.removeAll()
    }

    private mutating func report(_ turn: Turn, _ completion: CaseCompletion) {
        failure = [failure, completion.failure].compactMap(\.self).max { $0.status < $1.status }
        callbacks.report(turn, completion)
    }
}
