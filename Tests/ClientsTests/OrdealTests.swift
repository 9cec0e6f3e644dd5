import Basics
import Bluetooth
import Clients
import GATT
import HCI
import LEHost
import Testing

/// Whatever happens, in whatever order: the collector never traps, always waits for something that must come, and is
/// back in time when all is well again.
struct OrdealTests {
    /// 2 × (supervision timeout + scan interval) + 5 s.
    private static let bound = (Ordeal.supervisionTimeout + .milliseconds(60)) * 2 + .seconds(5)

    @Test func `Back in time after any faults`() {
        for seed in 0..<150 {
            var ordeal = Ordeal(seed: UInt64(seed), .init())
            for _ in 0..<40 {
                ordeal.play(for: .seconds(1))
                #expect(ordeal.isWaiting, "seed \(seed): it waits for nothing")
            }
            ordeal.calmDown()
            ordeal.play(for: Self.bound)
            let due = ordeal.now
            ordeal.play(for: .milliseconds(1100))
            #expect(ordeal.shownAt >= due, "seed \(seed)\n\(ordeal.history.suffix(80).joined(separator: "\n"))")
            #expect(ordeal.pool.taken == 0)
        }
    }
}
