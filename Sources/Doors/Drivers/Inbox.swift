import Synchronization

/// Inputs from the events of a loop, kept in order until code without `async` takes them.
package final class Inbox<Input: Sendable>: Sendable {
    private let inputs = Mutex<[Input]>([])
    private let notify: @Sendable () -> Void

    /// Calls `notify` after each input was added.
    package init(notify: @escaping @Sendable () -> Void = {}) { self.notify = notify }

    package func add(_ input: Input) {
        inputs.withLock { $0.append(input) }
        notify()
    }

    package func take() -> [Input] {
        inputs.withLock { inputs in
            defer { inputs.removeAll() }
            return inputs
        }
    }
}
