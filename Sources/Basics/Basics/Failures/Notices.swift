import Synchronization

/// What the program reports to its user while it works, in addition to its results.
package enum Notice: Hashable, Sendable {
    /// Something is probably not as the user intends: one line, without the name of the program.
    case warning(String)
    /// A line of information.
    case information(String)
}

/// Where notices go: to nobody, until a program says how it shows them.
package enum Notices {
    package typealias Handler = @Sendable (Notice) -> Void

    /// A class, because Swift 6.3 with `-O` initializes a static mutex of this state with zeros.
    private final class Shared: Sendable { let handler = Mutex<Handler?>(nil) }

    private static let shared = Shared()

    /// Passes all later notices to `handler`, which threads call at any time.
    package static func pass(to handler: @escaping Handler) { shared.handler.withLock { $0 = handler } }

    package static func post(_ notice: Notice) { shared.handler.withLock { $0 }?(notice) }

    package static func warn(_ message: String) { post(.warning(message)) }

    package static func inform(_ message: String) { post(.information(message)) }
}
