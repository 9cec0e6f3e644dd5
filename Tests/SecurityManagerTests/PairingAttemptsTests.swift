import Basics
import Bluetooth
import SecurityManager
import Testing

/// Core 6.0, Vol 3, Part H, section 2.3.6.
@Suite struct PairingAttemptsTests {
    private static let peer = DeviceAddress(1, .public)

    private static func second(_ number: Int64) -> Instant { Instant.start.advanced(by: .seconds(number)) }

    @Test func `Each failed authentication doubles the waiting time, up to 256 s`() {
        var (attempts, now) = (PairingAttempts(), Instant.start)
        for exponent in 0..<12 {
            #expect(attempts.permits(Self.peer, at: now))
            attempts.ended(with: Self.peer, .failed(.confirmValueFailed), at: now)
            let wait = Duration.seconds(min(256, 1 << exponent))
            #expect(!attempts.permits(Self.peer, at: now.advanced(by: wait).advanced(byNanoseconds: -1)))
            now = now.advanced(by: wait)
        }
    }

    @Test(arguments: [
        (PairingFailedReason.confirmValueFailed, true), (.dhKeyCheckFailed, true), (.numericComparisonFailed, true),
        (.passkeyEntryFailed, true), (.pairingNotSupported, false), (.authenticationRequirements, false),
        (.repeatedAttempts, false), (.unspecifiedReason, false),
    ])
    func `Only failed authentication counts`(reason: PairingFailedReason, counts: Bool) {
        for failure in [Pairing.Failure.failed(reason), .refused(reason)] {
            var attempts = PairingAttempts()
            attempts.ended(with: Self.peer, failure, at: .start)
            #expect(attempts.permits(Self.peer, at: .start) != counts)
            #expect(attempts.permits(DeviceAddress(2, .public), at: .start))
        }
    }

    @Test func `A success or a quiet time resets it`() {
        var attempts = PairingAttempts()
        attempts.ended(with: Self.peer, .failed(.confirmValueFailed), at: Self.second(0))
        attempts.ended(with: Self.peer, .failed(.confirmValueFailed), at: Self.second(1))
        #expect(!attempts.permits(Self.peer, at: Self.second(2)))
        attempts.ended(with: Self.peer, nil, at: Self.second(2))
        #expect(attempts.permits(Self.peer, at: Self.second(2)))
        attempts.ended(with: Self.peer, .failed(.confirmValueFailed), at: Self.second(3))
        attempts.ended(with: Self.peer, .failed(.confirmValueFailed), at: Self.second(10))
        #expect(attempts.permits(Self.peer, at: Self.second(11)))
    }

    @Test func `Many peers cost no memory`() {
        var attempts = PairingAttempts()
        for number in 0..<UInt64(1000) {
            attempts.ended(with: DeviceAddress(number, .public), .failed(.confirmValueFailed), at: .start)
        }
        #expect(attempts.permits(DeviceAddress(0, .public), at: .start))
        #expect(!attempts.permits(DeviceAddress(999, .public), at: .start))
    }
}
