import Basics

/// Finds attributes of a device by their handles, of which it can have 65,535: by a binary search.
package struct HandleIndex: Sendable {
    /// By handle.
    private let entries: [(handle: UInt16, place: Int)]

    /// Finds the places of these handles; nil for a place without a handle.  Of equal handles, the first counts.
    package init(_ handles: some Sequence<UInt16?>) {
        let all = handles.enumerated().compactMap { place, handle in handle.map { (handle: $0, place: place) } }
        entries = all.sorted { ($0.handle, $0.place) < ($1.handle, $1.place) }
    }

    /// The place of a handle; nil if there is none.
    package subscript(handle: UInt16) -> Int? { search(handle).place }

    /// The place of a handle, and the number of steps that it took to find it.
    func search(_ handle: UInt16) -> (place: Int?, steps: Int) {
        var steps = 0
        let index = entries.searchedIndex(after: { entry in
            steps += 1
            return entry.handle < handle
        })
        let isFound = index < entries.count && entries[index].handle == handle
        return (isFound ? entries[index].place : nil, steps)
    }
}
