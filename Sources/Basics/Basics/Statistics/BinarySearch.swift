extension Array {
    /// The index of the first element that does not precede what is searched, or `count`; `precedes` must hold for all
    /// elements before that one, and for none after.
    @inlinable public func searchedIndex(after precedes: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
