/// A queue of outputs that a machine produced and its driver has not handled yet.
///
///     machine.step(input, at: now, into: &outputs.added)
///     while let output = outputs.takeFirst() { … }  // may add again
///
/// Taken outputs are removed many at a time, which is much faster than one by one.
@frozen public struct OutputQueue<Output: Sendable>: Sendable {
    @usableFromInline static var maximumTaken: Int { 32 }  // taken outputs kept in an otherwise empty queue

    /// Outputs in order; the first `taken` of them are handled already. Machines append here.
    public var added: [Output] = []
    @usableFromInline var taken = 0

    /// An empty queue; it allocates storage with the first output.
    @inlinable public init() {}

    /// The number of outputs that are not taken.
    @inlinable public var count: Int { added.count - taken }
    /// Whether all outputs are taken.
    @inlinable public var isEmpty: Bool { taken == added.count }

    /// Removes and returns the oldest output; nil if the queue is empty.
    @inlinable public mutating func takeFirst() -> Output? {
        guard taken < added.count else { return nil }
        let output = added[taken]
        taken += 1
        if taken == added.count, taken >= Self.maximumTaken {
            added.removeAll(keepingCapacity: true)
            taken = 0
        }
        return output
    }

    /// Removes all outputs and keeps the storage.
    @inlinable public mutating func clear() {
        added.clear()
        taken = 0
    }

    /// Removes the outputs that `isRemoved` selects; all by default.
    public mutating func removeAll(where isRemoved: (Output) -> Bool = { _ in true }) {
        added.removeFirst(taken)
        taken = 0
        added.removeAll(where: isRemoved)
    }
}

extension OutputQueue: Sequence {
    /// The outputs that are not taken, oldest first.
    @inlinable public func makeIterator() -> ArraySlice<Output>.Iterator { added[taken...].makeIterator() }
}

extension Array {
    /// Removes all elements and keeps the storage. For one or two elements this is several times as fast as
    /// `removeAll(keepingCapacity:)`.
    @inlinable public mutating func clear() { for _ in 0..<count { removeLast() } }
}
