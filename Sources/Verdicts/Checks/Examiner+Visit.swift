import ATT
import Basics
import Bluetooth
package import GATT
import LEHost
package import VirtualWorld

/// A connection to a peripheral in which the central reads and receives everything, so that the packets show the whole
/// device.
package struct Visit {
    /// The central's activity.
    package enum Stage: Equatable {
        case searching
        case discovering
        /// It reads values.
        case reading
        /// It receives notifications and indications of this number of values.
        case receiving(values: Int)
    }

    /// How long the central scans, so that the packets show the advertising interval.
    private static let scanTime = Duration.seconds(3)

    private let peer: Peer
    /// How long the central receives values.
    private let duration: Duration
    private let show: (Stage) -> Void

    /// - Parameters:
    ///   - peer: The peripheral.
    ///   - duration: How long to receive what it notifies.
    ///   - show: Is called when a stage begins.
    package init(to peer: Peer, for duration: Duration, show: @escaping (Stage) -> Void = { _ in }) {
        (self.peer, self.duration, self.show) = (peer, duration, show)
    }

    /// Visits the peripheral by a host; ends early if `isEnough` returns true, which is asked once a second.
    package func run(by host: any ExaminerHost, until isEnough: () -> Bool = { false }) throws(CheckExit) {
        var examiner = Examiner(by: host, of: peer)
        try run(&examiner, until: isEnough)
    }

    /// Visits a device of a world that has not started, and returns the world afterwards.
    package static func run(
        to device: Int, of world: World, for duration: Duration
    ) throws(AttributeTable.DefinitionError) -> Result<World, CheckExit> {
        var examiner = try Examiner(in: world, of: device)
        do throws(CheckExit) {
            try Visit(to: examiner.peer, for: duration).run(&examiner) { false }
        } catch { return .failure(error) }
        guard var host = examiner.host as? VirtualTimeHost else { return .success(world) }
        host.flush()
        return .success(host.world)
    }

    private func run(_ examiner: inout Examiner, until isEnough: () -> Bool) throws(CheckExit) {
        defer { examiner.disconnect() }
        show(.searching)
        try examiner.find()
        examiner.scan { _ = $0.wait(atMost: Self.scanTime) { _ in false } }
        show(.discovering)
        try examiner.connect()
        show(.reading)
        for characteristic in examiner.services.flatMap(\.characteristics) {
            if characteristic.properties.contains(.read) { try examiner.readIfPermitted(characteristic.valueHandle) }
            for descriptor in characteristic.descriptors where descriptor.type != .clientCharacteristicConfiguration {
                try examiner.readIfPermitted(descriptor.handle)
            }
        }
        let values = try examiner.subscribeToAllThatAccept()
        show(.receiving(values: values.count))
        let begin = examiner.now
        while begin.duration(to: examiner.now) < duration, !isEnough() {
            examiner.receivedValues = []
            let left = duration - begin.duration(to: examiner.now)
            try examiner.stayConnected(for: min(left, .seconds(1)), during: "the recording")
            if examiner.host.isOver { return }
        }
    }
}

extension Examiner {
    /// Reads a value over a link that is as secure as the peripheral demands; the packets show value or error.
    fileprivate mutating func readIfPermitted(_ handle: UInt16) throws(CheckExit) {
        _ = try resultSecurely(of: .readLong(handle: handle), "a read of handle \(handle)")
    }
}
