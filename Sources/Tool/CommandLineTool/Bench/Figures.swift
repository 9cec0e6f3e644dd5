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

/// The CPU time, the time on the wall and the allocations from when it was made.
struct Meter {
    private let nanoseconds = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    private let began = Self.now(CLOCK_MONOTONIC)
    private let allocations = Self.countedAllocations()

    /// In nanoseconds of this process, all its threads together.
    var spent: Int64 { Self.now(CLOCK_PROCESS_CPUTIME_ID) - nanoseconds }

    /// In nanoseconds of the clock on the wall.
    var elapsed: Int64 { Self.now(CLOCK_MONOTONIC) - began }

    /// Nil when nobody counts.
    var allocated: UInt64? {
        guard let allocations, let now = Self.countedAllocations() else { return nil }
        return now - allocations
    }

    static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// From `lubdub_allocations`, a function of a library that counts the calls of malloc and its kin; tests preload it.
    private static let counter: (@convention(c) () -> UInt64)? = {
        guard let symbol = unsafe dlsym(nil, "lubdub_allocations") else { return nil }
        return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }()

    private static func countedAllocations() -> UInt64? { counter.map { $0() } }
}
