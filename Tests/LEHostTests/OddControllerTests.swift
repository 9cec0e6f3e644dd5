import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

/// Controllers that differ from the virtual one, as adapters do.
@Suite struct OddControllerTests {
    /// The value of a notification of these tests; its length needs one to six packets.
    private static func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 + number * 37 % 140)
    }

    /// Notifies `count` values in bursts, which a controller with one buffer sends within a pause; returns those that
    /// arrive.
    private func notified(_ count: Int, over pair: inout HostPair) -> [[UInt8]] {
        let before = pair.notified.count
        for number in 0..<count {
            pair.command(.notify(handle: HostPair.measurement, Self.value(number)), of: .peripheral)
            if number % 8 == 7 { pair.run(for: .seconds(4)) }
        }
        pair.run(for: .seconds(2))
        return Array(pair.notified[before...])
    }

    @Test(arguments: OddController.all, HostPair.Side.allCases)
    func `A strap is found, discovered and heard`(odd: OddController, side: HostPair.Side) throws {
        var pair = try HostPair([side: odd])
        let found = pair.connect()
        let connection = try #require(found)
        let isComplete = notified(80, over: &pair) == (0..<80).map(Self.value)
        #expect(isComplete)
        pair.command(.procedure(connection, .readLong(handle: HostPair.measurement), id: 9), of: .central)
        pair.run(for: .seconds(1))
        let outputs = pair.takeOutputs(of: .central)
        #expect(outputs.contains(.finished(connection, id: 9, .success(.value([0x00, 72])))))
        for side in HostPair.Side.allCases {
            let isHealthy = (outputs + pair.takeOutputs(of: side)).allSatisfy { output in
                switch output {
                case .failed, .refused, .malformed, .dropped, .disconnected: false
                default: true
                }
            }
            #expect(isHealthy, "\(outputs)")
        }
        #expect(!pair.hasOverflowed)
        pair.command(.disconnect(connection, reason: .remoteUserTerminated), of: .central)
        pair.run(for: .seconds(2))
        #expect(pair.pool.taken == 0)
    }

    /// The host's count of free buffers would shrink to 0 otherwise.
    @Test(arguments: HostPair.Side.allCases)
    func `A controller that loses counts delays values, but loses none`(side: HostPair.Side) throws {
        var pair = try HostPair([side: .losing])
        let found = pair.connect()
        let connection = try #require(found)
        let isComplete = notified(200, over: &pair) == (0..<200).map(Self.value)
        #expect(isComplete)
        pair.command(.procedure(connection, .read(handle: HostPair.measurement), id: 9), of: .central)
        pair.run(for: .seconds(10))
        #expect(
            pair.takeOutputs(of: .central).contains(.finished(connection, id: 9, .success(.value([0x00, 72])))))
    }
}
