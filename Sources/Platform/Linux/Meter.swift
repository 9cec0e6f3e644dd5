package import Glibc

/// Measures CPU time, real time and allocations since its creation.
package struct Meter {
    private let nanoseconds = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    private let began = Self.now(CLOCK_MONOTONIC)
    private let allocations = Self.countedAllocations()

    package init() {}

    /// The CPU time of all threads, in nanoseconds.
    package var spent: Int64 { Self.now(CLOCK_PROCESS_CPUTIME_ID) - nanoseconds }

    /// The real time, in nanoseconds.
    package var elapsed: Int64 { Self.now(CLOCK_MONOTONIC) - began }

    /// The number of allocations; nil when they are not counted.
    package var allocated: UInt64? {
        guard let allocations, let now = Self.countedAllocations() else { return nil }
        return now - allocations
    }

    package static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// `lubdub_allocations`, a function of a library that tests preload to count allocations.
    private static let counter: (@convention(c) () -> UInt64)? = {
        guard let symbol = unsafe dlsym(nil, "lubdub_allocations") else { return nil }
        return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
    }()

    private static func countedAllocations() -> UInt64? { counter.map { $0() } }
}
