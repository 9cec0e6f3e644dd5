import Glibc
import Synchronization

/// A file descriptor in a message. It is closed when nobody refers to it any more, unless somebody has taken it.
///
/// A message that is sent has a copy; each reading of a message makes another one.
public final class Descriptor: Sendable {
    private let open: Mutex<CInt?>

    /// Takes over an open descriptor.
    public init(owning number: CInt) { open = Mutex(number) }

    deinit {
        if let number = take() { close(number) }
    }

    /// The number; nil if somebody has taken it.
    public var number: CInt? { open.withLock { $0 } }

    /// Gives the descriptor away, to somebody who closes it; nil if it has been taken already.
    public func take() -> CInt? { open.withLock { $0.take() } }
}

extension Descriptor: Hashable {
    /// Whether both are the same object: equal files are not compared.
    public static func == (left: Descriptor, right: Descriptor) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
