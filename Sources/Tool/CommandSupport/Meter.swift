package import Glibc

/// The CPU time, the time on the wall and the allocations from when it was made.
package struct Meter {
    private let nanoseconds = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    private let began = Self.now(CLOCK_MONOTONIC)
    private let allocations = Self.countedAllocations()

    package init() {}

    /// In nanoseconds of this process, all its threads together.
    package var spent: Int64 { Self.now(CLOCK_PROCESS_CPUTIME_ID) - nanoseconds }

    /// In nanoseconds of the clock on the wall.
    package var elapsed: Int64 { Self.now(CLOCK_MONOTONIC) - began }

    /// Nil when nobody counts.
    package var allocated: UInt64? {
        guard let allocations, let now = Self.countedAllocations() else { return nil }
        return now - allocations
    }

    package static func now(_ clock: clockid_t) -> Int64 {
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
