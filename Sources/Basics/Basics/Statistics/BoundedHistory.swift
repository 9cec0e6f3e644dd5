extension Array {
    /// Appends an element; when there are `maximum` of them, the first half is forgotten before.
    ///
    /// Half at once, because the removal of the first one moves all others.
    package mutating func append(_ element: Element, ofAtMost maximum: Int) {
        if count >= maximum { removeFirst(maximum / 2) }
        append(element)
    }
}
