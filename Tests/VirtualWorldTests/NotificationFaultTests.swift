import Basics
import Devices
import ScenarioModel
import Testing

@testable import VirtualWorld

/// Faults of values that a device sends.
@Suite struct NotificationFaultTests {
    /// A device with two services: handles 1 and 2, and 3.  The values are numbered from 1 on, and come each 10 ms.
    private struct Exit {
        var notificationFaults = NotificationFaults()
        var pool = PacketPool()
        var left: [String] = []  // `10: 1`, in ms
        private var now = Instant.start
        private var count: UInt8 = 0

        mutating func play(_ rules: [NotificationFaults.Rule]) {
            var outbox: [PeripheralDevice.Notification] = []
            notificationFaults.replaceRules(with: rules, at: now, pool: &pool, into: &outbox)
            note(outbox)
        }

        mutating func take(_ handles: [UInt16], length: Int = 1) {
            for handle in handles {
                wait(.milliseconds(10))
                count &+= 1
                var outbox: [PeripheralDevice.Notification] = []
                let packet = pool.take([UInt8](repeating: count, count: length))
                notificationFaults.take(.init(handle: handle, packet: packet), at: now, pool: &pool, into: &outbox)
                note(outbox)
            }
        }

        mutating func forget(_ handle: UInt16) { notificationFaults.discard(handle, pool: &pool) }

        mutating func wait(_ duration: Duration) {
            let end = now.advanced(by: duration)
            while notificationFaults.nextDue <= end {
                now = max(now, notificationFaults.nextDue)
                var outbox: [PeripheralDevice.Notification] = []
                notificationFaults.release(at: now, into: &outbox)
                note(outbox)
            }
            now = end
        }

        private mutating func note(_ outbox: [PeripheralDevice.Notification]) {
            for value in outbox {
                let octets = pool.octets(of: value.packet).map(String.init).joined(separator: " ")
                left.append("\(now.nanoseconds / 1_000_000): \(octets)")
                pool.release(value.packet)
            }
        }
    }

    private static func device(_ fault: Action.ValueFault) -> NotificationFaults.Rule {
        .init(fault, .device, [1, 2, 3])
    }
    private static func service(_ fault: Action.ValueFault) -> NotificationFaults.Rule {
        .init(fault, .service(0), [1, 2])
    }
    private static func value(_ fault: Action.ValueFault) -> NotificationFaults.Rule {
        .init(fault, .value(1), [1])
    }

    static let cases: [(rules: [NotificationFaults.Rule], handles: [UInt16], left: [String])] = [
        ([], [1, 2, 3], ["10: 1", "20: 2", "30: 3"]),
        ([value(.drop)], [1, 2, 1, 3], ["20: 2", "40: 4"]),
        ([service(.drop)], [1, 2, 3], ["30: 3"]),
        ([device(.duplicate)], [1, 3], ["10: 1", "10: 1", "20: 2", "20: 2"]),
        ([device(.delay(by: .milliseconds(15)))], [1, 2, 3], ["25: 1", "35: 2", "45: 3"]),
        ([device(.delay(by: .zero))], [1], ["10: 1"]),
        ([device(.reorder(span: 2))], [1, 1, 1, 1], ["20: 2", "20: 1", "40: 4", "40: 3"]),
        ([device(.reorder(span: 3))], [1, 2, 3, 1, 1], ["30: 3", "30: 1", "30: 2", "end: 4", "end: 5"]),
        // The value's own line is another than that of its device.
        (
            [device(.reorder(span: 3)), value(.reorder(span: 2))], [1, 2, 3, 1, 2],
            ["40: 4", "40: 1", "50: 5", "50: 2", "50: 3"]
        ),
        // The more particular wins, in whatever order they began.
        ([value(.delay(by: .milliseconds(1))), device(.delay(by: .milliseconds(5)))], [1, 2], ["11: 1", "25: 2"]),
        ([device(.delay(by: .milliseconds(5))), value(.delay(by: .milliseconds(1)))], [1, 2], ["11: 1", "25: 2"]),
        ([value(.truncate(to: 0))], [1, 2], ["10: ", "20: 2"]),
        ([value(.truncate(to: 5))], [1], ["10: 1"]),
        ([value(.lengthen(with: [8, 9]))], [1, 2], ["10: 1 8 9", "20: 2"]),
        ([value(.lengthen(with: [8, 9])), value(.truncate(to: 0)), value(.duplicate)], [1], ["10: 8 9", "10: 8 9"]),
        ([value(.drop), value(.duplicate), value(.delay(by: .seconds(1)))], [1], []),
        // The twin follows in the line, and late.
        (
            [value(.duplicate), value(.reorder(span: 3)), value(.delay(by: .milliseconds(3)))], [1, 1, 1],
            ["23: 2", "23: 1", "23: 1", "33: 3", "33: 2", "33: 3"]
        ),
    ]

    @Test(arguments: cases) func `The values that leave`(
        rules: [NotificationFaults.Rule], handles: [UInt16], left: [String]
    ) {
        var exit = Exit()
        exit.play(rules)
        #expect(exit.notificationFaults.isActive == !rules.isEmpty)
        exit.take(handles)
        exit.wait(.seconds(1))
        let before = exit.left.count
        exit.play([])
        let ended = exit.left.suffix(from: before).map { "end:" + $0.drop { $0 != " " } }
        #expect(exit.left.prefix(before) + ended == left)
        #expect(!exit.notificationFaults.isActive)
        #expect(exit.pool.taken == 0)
    }

    @Test func `A value that a reorder held is still delayed by a delay`() {
        var exit = Exit()
        exit.play([Self.device(.reorder(span: 5)), Self.device(.delay(by: .milliseconds(7)))])
        exit.take([1, 2])
        exit.play([Self.device(.delay(by: .milliseconds(7)))])
        exit.play([])
        exit.take([3])  // comes before those that wait
        exit.wait(.seconds(1))
        #expect(exit.left == ["27: 1", "27: 2", "30: 3"])
        #expect(exit.pool.taken == 0)
    }

    @Test func `A shorter delay lets a value overtake`() {
        var exit = Exit()
        exit.play([Self.device(.delay(by: .milliseconds(50)))])
        exit.take([1])
        exit.play([Self.device(.delay(by: .milliseconds(5)))])
        exit.take([1])
        exit.wait(.seconds(1))
        #expect(exit.left == ["25: 2", "60: 1"])
    }

    @Test func `Another span counts for those that are held`() {
        var exit = Exit()
        exit.play([Self.device(.reorder(span: 255))])
        exit.take([1, 1, 1])
        exit.play([Self.device(.reorder(span: 2))])
        #expect(exit.left.isEmpty)
        exit.take([1, 1])
        #expect(exit.left == ["40: 4", "40: 1", "40: 2", "40: 3"])
    }

    @Test func `Values without a subscriber are discarded`() {
        var exit = Exit()
        exit.play([Self.service(.reorder(span: 9)), Self.device(.delay(by: .milliseconds(100)))])
        exit.take([1, 2, 3])
        exit.forget(1)
        exit.forget(3)
        #expect(exit.notificationFaults.nextDue == .never)
        exit.play([])
        #expect(exit.left == ["30: 2"])
        #expect(exit.pool.taken == 0)
    }

    @Test func `The oldest of too many is thrown away`() {
        var exit = Exit()
        exit.play([Self.device(.delay(by: .seconds(3600)))])
        exit.take([UInt16](repeating: 1, count: NotificationFaults.maximumHeld + 3))
        #expect(exit.pool.taken == NotificationFaults.maximumHeld)
        exit.wait(.seconds(7200))
        #expect(exit.left.count == NotificationFaults.maximumHeld)
        #expect(exit.left.first == "3600040: 4")
        #expect(exit.pool.taken == 0)
    }

    @Test func `Nothing gets longer than an attribute can be`() {
        var exit = Exit()
        exit.play([Self.value(.lengthen(with: [UInt8](repeating: 7, count: 512)))])
        exit.take([1], length: 500)
        #expect(exit.left.first?.split(separator: " ").count == 1 + 512)
        exit.take([1], length: 512)
        #expect(exit.left.last?.split(separator: " ").count == 1 + 512)
    }
}
