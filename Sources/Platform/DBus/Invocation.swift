import Basics
import Synchronization

/// A call from another program. Only the first reply counts; an invocation that is released without a reply replies
/// with an error, so that the caller does not wait in vain.
public final class Invocation: Sendable {
    /// The object called.
    public let path: ObjectPath
    /// The unique name of the caller.
    public let sender: BusName?
    /// The arguments, of the method's types.
    public let arguments: [Value]

    /// Sends a reply; must be called on the loop's thread.
    typealias Replying = @Sendable (Result<[Value], MethodError>) -> Void

    private let method: MemberName
    private let results: Signature
    private let loop: EventLoop
    private let replying: Mutex<Replying?>

    init(
        _ method: Method, at path: ObjectPath, by sender: BusName?, with arguments: [Value], on loop: EventLoop,
        replying: @escaping Replying
    ) {
        (self.path, self.sender, self.arguments, self.loop) = (path, sender, arguments, loop)
        (self.method, results) = (method.name, method.results.signature)
        self.replying = Mutex(replying)
    }

    deinit {
        guard let replying = replying.withLock({ $0.take() }) else { return }
        let error = MethodError(.failed, "\(method) did not reply")
        loop.call(at: loop.now) { replying(.failure(error)) }
    }

    /// Replies with results, on the loop's thread; results of other types than the method's become an error.
    public func reply(_ values: [Value] = []) {
        guard values.match(results) else {
            let found = values.signatureText
            return fail(with: MethodError(.failed, "\(method) returned the types \(found), not \"\(results)\""))
        }
        replying.withLock { $0.take() }?(.success(values))
    }

    /// Replies with an error, on the loop's thread.
    public func fail(with error: MethodError) { replying.withLock { $0.take() }?(.failure(error)) }
}
