import Glibc

/// What a row's work cost.
struct Figures {
    /// The row's headline, in `unit`.
    let value: Double
    let unit: String
    /// How many items of work were done: notifications, connections.
    let items: Int
    /// The CPU time of the whole process, meanwhile.
    let nanoseconds: Int64
    /// What was allocated meanwhile; nil when nobody counts.
    let allocations: UInt64?
    /// Why the counts are wrong, and the row is no result.
    let fault: String?

    /// Nothing was measured.
    static func none(_ fault: String) -> Figures {
        Figures(value: 0, unit: "", items: 0, nanoseconds: 0, allocations: nil, fault: fault)
    }

    var microsecondsPerItem: Double { Double(nanoseconds) / 1000 / Double(max(1, items)) }
    var allocationsPerItem: Double? { allocations.map { Double($0) / Double(max(1, items)) } }
}
