import Synchronization

/// Passes a reply to the task that waits for it, in whatever order they arrive.
final class ReplyContinuation: Sendable {
    typealias Reply = Result<[Value], CallFailure>

    private enum State {
        case empty
        case task(CheckedContinuation<Reply, Never>)
        case reply(Reply)
    }

    private let state = Mutex(State.empty)

    /// Resumes the task, or lets `wait` resume it later.
    func finish(_ reply: Reply) {
        let continuation: CheckedContinuation<Reply, Never>? = state.withLock { state in
            defer { state = .reply(reply) }
            if case .task(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: reply)
    }

    /// Waits for the reply. Must be called once.
    func wait(_ continuation: CheckedContinuation<Reply, Never>) {
        let reply: Reply? = state.withLock { state in
            if case .reply(let reply) = state { return reply }
            state = .task(continuation)
            return nil
        }
        if let reply { continuation.resume(returning: reply) }
    }
}
