import Simulation
import Synchronization

/// A call from outside that waits for its answer.  Only the first answer counts; one that is dropped without any is
/// answered by an error, so that nobody waits in vain.
public final class Invocation: Sendable {
    /// The object that was called.
    public let path: ObjectPath
    /// The unique name of who called.
    public let sender: BusName?
    /// Of the types that the method has.
    public let arguments: [Value]

    /// Sends an answer; it must be called on the loop's thread.
    typealias Answering = @Sendable (Result<[Value], Refusal>) -> Void

    private let method: MemberName
    private let results: Signature
    private let loop: EventLoop
    private let answering: Mutex<Answering?>

    init(
        _ method: Method, at path: ObjectPath, by sender: BusName?, with arguments: [Value], on loop: EventLoop,
        answering: @escaping Answering
    ) {
        (self.path, self.sender, self.arguments, self.loop) = (path, sender, arguments, loop)
        (self.method, results) = (method.name, method.results.signature)
        self.answering = Mutex(answering)
    }

    deinit {
        guard let answering = answering.withLock({ $0.take() }) else { return }
        let refusal = Refusal(.failed, "\(method) ended without an answer")
        loop.call(at: loop.now) { answering(.failure(refusal)) }
    }

    /// Answers with results, on the loop's thread; results of other types than the method's become an error.
    public func answer(_ values: [Value] = []) {
        guard values.match(results) else {
            let found = values.signatureText
            return refuse(Refusal(.failed, "\(method) gave \(found), and should give \"\(results)\""))
        }
        answering.withLock { $0.take() }?(.success(values))
    }

    /// Answers with an error, on the loop's thread.
    public func refuse(_ refusal: Refusal) { answering.withLock { $0.take() }?(.failure(refusal)) }
}
