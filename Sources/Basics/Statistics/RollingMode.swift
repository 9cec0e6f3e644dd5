/// The most frequent of the last values of a row, the lowest of equally frequent ones.
///
/// A value costs as many steps as its range has binary digits; asking costs as many.
public struct RollingMode: Sendable {
    private var ring: Ring
    private var counts = CountTree()

    /// Of the last `count` values; of at least 1.
    public init(last count: Int) { ring = Ring(last: count) }

    /// Takes a value in.
    public mutating func add(_ value: UInt16) {
        counts.change(value, by: 1)
        if let former = ring.add(value) { counts.change(former, by: -1) }
    }

    /// None before there are enough values.
    public var value: UInt16? { ring.isFull ? counts.mostFrequent : nil }
}

/// How often each value occurs, as a tree of maxima: node n is the greater of 2n and 2n + 1, and the leaves, the second
/// half, are the counts themselves.
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

    /// The lowest of equally frequent ones; 0 where there is nothing.
    var mostFrequent: UInt16 {
        var node = 1
        while node < leaves { node = nodes[2 * node] == nodes[node] ? 2 * node : 2 * node + 1 }
        return UInt16(node - leaves)
    }

    /// Doubles the leaves: each level is the old one with nothing beside it, and the root has a new one above.
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
