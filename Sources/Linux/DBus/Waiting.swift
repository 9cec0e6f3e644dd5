import Synchronization

/// Where a task and the answer that it waits for meet, whoever is first.
final class Waiting: Sendable {
    typealias Answer = Result<[Value], CallFailure>

    private enum State {
        case nobody
        case task(CheckedContinuation<Answer, Never>)
        case answer(Answer)
    }

    private let state = Mutex(State.nobody)

    /// Resumes the task, now or as soon as it waits.
    func finish(_ answer: Answer) {
        let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
            defer { state = .answer(answer) }
            if case .task(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: answer)
    }

    /// Once.
    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer: Answer? = state.withLock { state in
            if case .answer(let answer) = state { return answer }
            state = .task(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }
}
