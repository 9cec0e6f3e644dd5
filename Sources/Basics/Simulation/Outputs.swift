/// What is to be done and nobody has done yet, in order: for small values that come in ones and twos, again and again.
///
///     machine.step(input, at: now, into: &outputs.added)
///     while let output = outputs.takeFirst() { … }  // may add again
///
/// What has been taken stays where it is and is thrown away many at a time, which is faster by far than one by one.
@frozen public struct Outputs<Output: Sendable>: Sendable {
    @usableFromInline static var most: Int { 32 }  // that stay although they have been taken, when nothing else does

    /// What was added: behind what has been taken, what has not.
    public var added: [Output] = []
    @usableFromInline var taken = 0

    /// Empty, and without storage until something is added.
    @inlinable public init() {}

    /// Whether all has been taken.
    @inlinable public var isEmpty: Bool { taken == added.count }

    /// Takes what was added first; nil when there is nothing.
    @inlinable public mutating func takeFirst() -> Output? {
        guard taken < added.count else { return nil }
        let output = added[taken]
        taken += 1
        if taken == added.count, taken >= Self.most {
            added.removeAll(keepingCapacity: true)
            taken = 0
        }
        return output
    }
}

extension Array {
    /// Removes all and keeps the storage.  For outboxes, in which there are one or two: several times as fast as
    /// `removeAll(keepingCapacity:)`, which works for any range.
    @inlinable public mutating func clear() { for _ in 0..<count { removeLast() } }
}
