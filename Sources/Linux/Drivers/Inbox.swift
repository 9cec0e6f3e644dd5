import Synchronization

/// Inputs from the events of a loop, kept in order until straight-line code takes them.
final class Inbox<Input: Sendable>: Sendable {
    private let inputs = Mutex<[Input]>([])
    private let notify: @Sendable () -> Void

    /// `notify` is called after each input was added.
    init(notify: @escaping @Sendable () -> Void) { self.notify = notify }

    func add(_ input: Input) {
        inputs.withLock { $0.append(input) }
        notify()
    }

    /// Removes and returns all inputs.
    func take() -> [Input] {
        inputs.withLock { inputs in
            defer { inputs.removeAll() }
            return inputs
        }
    }
}
