/// The most frequent of the last values of a series; of several, the lowest.
///
/// Adding and querying take O(log n) for the largest value n.
package struct RollingMode: Sendable {
    private var ring: RingBuffer
    private var counts = CountTree()

    /// The mode of the last `count` values, at least 1.
    package init(last count: Int) { ring = RingBuffer(last: count) }

    package mutating func add(_ value: UInt16) {
        counts.change(value, by: 1)
        if let former = ring.add(value) { counts.change(former, by: -1) }
    }

    /// The mode; nil until there are `count` values.
    package var value: UInt16? { ring.isFull ? counts.mostFrequent : nil }
}

/// The number of occurrences of each value, as a tree of maxima: node n is the greater of nodes 2n and 2n + 1; the
/// leaves, in the second half, are the counts.
struct CountTree {
    private var nodes = [0, 0]
    private var leaves: Int { nodes.count / 2 }

    mutating func change(_ value: UInt16, by difference: Int) {
        while leaves <= Int(value) { grow() }
        var node = leaves + Int(value)
        nodes[node] += difference
        while node > 1 {
            node /= 2
            let greater = max(nodes[2 * node], nodes[2 * node + 1])
            if nodes[node] == greater { return }
            nodes[node] = greater
        }
    }

    /// The value with the highest count, the lowest of several; 0 if there are none.
    var mostFrequent: UInt16 {
        var node = 1
        while node < leaves { node = nodes[2 * node] == nodes[node] ? 2 * node : 2 * node + 1 }
        return UInt16(node - leaves)
    }

    /// Doubles the leaves: each level gets zeros on its right, and the root a new parent.
    private mutating func grow() {
        var wider = [0, nodes[1]]
        var level = 1
        while level <= leaves {
            wider += nodes[level..<2 * level] + repeatElement(0, count: level)
            level *= 2
        }
        nodes = wider
    }
}
