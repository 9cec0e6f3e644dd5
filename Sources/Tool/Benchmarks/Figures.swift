import Glibc

/// The measured cost of a benchmark.
package struct Figures {
    /// The headline figure, in `unit`.
    package let value: Double
    package let unit: String
    /// The number of items of work: notifications, connections.
    package let items: Int
    /// The CPU time of the whole process.
    package let nanoseconds: Int64
    /// The number of allocations; nil when they are not counted.
    package let allocations: UInt64?
    /// Why the measurement is not valid; nil when it is.
    package let fault: String?

    package static func none(_ fault: String) -> Figures {
        Figures(value: 0, unit: "", items: 0, nanoseconds: 0, allocations: nil, fault: fault)
    }

    var microsecondsPerItem: Double { Double(nanoseconds) / 1000 / Double(max(1, items)) }
    var allocationsPerItem: Double? { allocations.map { Double($0) / Double(max(1, items)) } }
}
