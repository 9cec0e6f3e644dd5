import Glibc

/// The measured cost of a benchmark.
struct Figures {
    /// The headline figure, in `unit`.
    let value: Double
    let unit: String
    /// The number of items of work: notifications, connections.
    let items: Int
    /// The CPU time of the whole process.
    let nanoseconds: Int64
    /// The number of allocations; nil when they are not counted.
    let allocations: UInt64?
    /// Why the measurement is not valid; nil when it is.
    let fault: String?
    /// How often the work was faster than in real time; nil if that is not compared.
    var speed: Double?

    static func none(_ fault: String) -> Figures {
        Figures(value: 0, unit: "", items: 0, nanoseconds: 0, allocations: nil, fault: fault)
    }

    var microsecondsPerItem: Double { Double(nanoseconds) / 1000 / Double(max(1, items)) }
    var allocationsPerItem: Double? { allocations.map { Double($0) / Double(max(1, items)) } }
}
