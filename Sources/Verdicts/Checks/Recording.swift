package import Basics
package import Bluetooth
package import GATT
import LEHost

/// What a peripheral sent to a client that was subscribed to all that it notifies and indicates, and what it still sent
/// after the client had unsubscribed.
package struct Recording: Sendable {
    /// The recording that a check needs.
    package enum Need: Hashable, Sendable {
        /// The values of some time.
        case values(for: Duration)
        /// The first value of a characteristic, which may take that long.
        case first(UUID, of: UUID, within: Duration)
        /// Reads of a characteristic at the beginning and at the end of some time in one connection.
        case reads(UUID, of: UUID, for: Duration)

        package static let usual = values(for: usualDuration)

        /// How long a client with this patience records.
        fileprivate func duration(_ patience: (Duration, UUID?) -> Duration) -> Duration {
            switch self {
            case .values(let duration): patience(duration, nil)
            case .first(_, let service, let duration): patience(duration, service)
            case .reads(_, _, let duration): duration
            }
        }
    }

    /// How long checks wait for values that come again and again.
    package static let usualDuration = Duration.seconds(20)

    /// How long the client was subscribed.
    package internal(set) var duration = Duration.zero
    /// The values in that time, in order, connection by connection.
    package internal(set) var parts: [[Examiner.ReceivedValue]] = []
    /// The values after all subscriptions were cancelled; nil if the host cannot know.
    package internal(set) var late: [Examiner.ReceivedValue]?
    /// The MTU of the connections.
    package internal(set) var mtu = 23
    /// The handles of the values that the client was subscribed to.
    package internal(set) var subscribed: Set<UInt16> = []
    /// What was read at the beginning of the last connection, by handle; without values that could not be read.
    package internal(set) var firstReads: [UInt16: [UInt8]] = [:]
    /// What was read before that connection ended.
    package internal(set) var lastReads: [UInt16: [UInt8]] = [:]
    /// The longest stop of this machine that could have changed the values.
    var stall = Duration.zero

    /// Since when the client is subscribed in the present connection; nil if it is not.
    var begin: Instant?

    package init() {}

    package var values: [Examiner.ReceivedValue] { Array(parts.joined()) }

    package func values(of handle: UInt16) -> [Examiner.ReceivedValue] { values.filter { $0.handle == handle } }

    /// Whether the client was subscribed to a value for this duration.
    func covers(_ handle: UInt16, for duration: Duration) -> Bool {
        subscribed.contains(handle) && self.duration >= duration
    }

    /// How long to wait for values that must not come: twice the usual period of those that send most seldom.
    package static func patience(after values: [Examiner.ReceivedValue]) -> Duration {
        let instants = Dictionary(grouping: values, by: \.handle).values.map { $0.map(\.instant) }
        let periods = instants.compactMap { instants -> Duration? in
            let gaps = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }.sorted()
            return gaps.isEmpty ? nil : gaps[gaps.count / 2]
        }
        return periods.max().map { min(max($0 * 2, shortestPatience), longestPatience) } ?? longestPatience
    }

    private static let shortestPatience = Duration.seconds(1)
    private static let longestPatience = Duration.seconds(20)
}

extension Examiner {
    /// The recording, if it has these values for this duration; nil if the check must subscribe by itself.
    package func recording(of handles: [UInt16], for duration: Duration) -> Recording? {
        guard let recording, handles.allSatisfy({ recording.covers($0, for: duration) }) else { return nil }
        return recording
    }

    /// The recording, if it has the first of these values; nil if the check must subscribe by itself.
    package func recording(ofFirst handle: UInt16, within duration: Duration) -> Recording? {
        guard let recording, recording.subscribed.contains(handle) else { return nil }
        return recording.duration >= duration || !recording.values(of: handle).isEmpty ? recording : nil
    }

    /// Subscribes to all that the peripheral notifies and indicates, and begins or continues a recording.
    ///
    /// Checks may use the connection meanwhile: correct peripherals answer requests while they send values.
    mutating func startRecording(for needs: Set<Recording.Need>) throws(CheckExit) {
        var new = tape ?? Recording()
        new.firstReads = try reads(for: needs)
        (receivedValues, new.begin, new.mtu) = ([], now, mtu)
        new.subscribed = Set(try subscribeToAllThatAccept().map(\.valueHandle))
        tape = new
    }

    /// Subscribes again to what a check has cancelled.
    mutating func continueRecording() throws(CheckExit) {
        let cancelled = characteristics.filter { value in
            tape?.subscribed.contains(value.valueHandle) == true
                && value.configurationHandle.map { !configured.contains($0) } ?? false
        }
        for value in cancelled { try subscribe(value.configuration(.notification), to: value) }
    }

    /// Keeps what was recorded when the connection ends.
    mutating func pauseRecording() {
        guard var paused = tape, let begin = paused.begin else { return }
        paused.duration += begin.duration(to: now)
        paused.mtu = max(paused.mtu, mtu)  // the peripheral may have exchanged it since
        paused.parts.append(receivedValues)
        paused.begin = nil
        (tape, receivedValues) = (paused, [])
    }

    /// Records for as long as these needs require, then cancels the subscriptions.
    mutating func completeRecording(for needs: Set<Recording.Need>) throws(CheckExit) {
        guard let begin = tape?.begin, let before = tape?.duration else { return }
        let durations = needs.map { need in (need, need.duration { patience($0, of: $1) }) }
        for (need, duration) in durations.sorted(by: { $0.1 < $1.1 }) {
            var earlier = before
            var awaited: UInt16?
            switch need {
            case .values: break
            case .first(let uuid, let service, _):
                guard let handle = find(uuid, of: service)?.valueHandle, tape?.subscribed.contains(handle) == true,
                    tape?.values(of: handle).isEmpty == true
                else { continue }
                awaited = handle
            case .reads: earlier = .zero
            }
            _ = wait(atMost: max(.zero, duration - earlier - begin.duration(to: now))) { examiner in
                examiner.connection == nil
                    || awaited != nil && examiner.receivedValues.contains { $0.handle == awaited }
            }
            guard connection != nil else { throw disconnected(during: "the recording of notifications") }
        }
        let lastReads = try reads(for: needs)
        pauseRecording()
        guard var recording = tape else { return }
        recording.lastReads = lastReads
        let values = characteristics.filter { recording.subscribed.contains($0.valueHandle) }
        recording.late = try valuesAfterCancelling(values, patience: Recording.patience(after: recording.values))
        recording.stall = max(recording.stall, stall)
        (self.recording, tape, receivedValues) = (recording, nil, [])
    }

    /// Cancels subscriptions; returns what arrives nevertheless, or nil if the host cannot know.
    private mutating func valuesAfterCancelling(
        _ values: [DiscoveredCharacteristic], patience: Duration
    ) throws(CheckExit) -> [ReceivedValue]? {
        guard host.unsupportedReason(for: .unwantedValues) == nil else { return nil }
        for value in values { try subscribe([], to: value) }
        wait(.seconds(1))  // values in flight
        let first = receivedValues.count
        try stayConnected(for: patience)
        return Array(receivedValues[first...])
    }

    /// The recording of a check that has subscribed by itself to these values since `begin`.
    package mutating func endOwnRecording(
        of values: [DiscoveredCharacteristic], since begin: Instant
    ) throws(CheckExit) -> Recording {
        var recording = Recording()
        (recording.duration, recording.mtu, recording.parts) = (begin.duration(to: now), mtu, [receivedValues])
        recording.subscribed = Set(values.map(\.valueHandle))
        recording.late = try valuesAfterCancelling(values, patience: Recording.patience(after: receivedValues))
        return recording
    }

    private mutating func reads(for needs: Set<Recording.Need>) throws(CheckExit) -> [UInt16: [UInt8]] {
        var handles: [UInt16] = []
        for case .reads(let uuid, let service, _) in needs {
            if let handle = find(uuid, of: service)?.valueHandle { handles.append(handle) }
        }
        return try wholeValues(handles)
    }

    /// Subscribes to every characteristic; other checks judge a rejection.  Returns those that accepted it.
    ///
    /// A characteristic with both properties gets `preferred`.
    package mutating func subscribeToAllThatAccept(
        preferring preferred: ClientConfiguration = .notification
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        var accepted: [DiscoveredCharacteristic] = []
        for value in characteristics {
            guard let handle = value.configurationHandle else { continue }
            let description = "a write to the configuration of \(value.uuid.name)"
            let error = try refusedSecurely(.configure(handle: handle, value.configuration(preferred)), description)
            guard error == nil else { continue }
            accepted.append(value)
            configured.insert(handle)
        }
        return accepted
    }
}

extension DiscoveredCharacteristic {
    /// What a client writes to receive the values: `preferred`, if the properties permit it.
    fileprivate func configuration(_ preferred: ClientConfiguration) -> ClientConfiguration {
        if properties.isSuperset(of: [.notify, .indicate]) { return preferred }
        return properties.contains(.notify) ? .notification : .indication
    }
}
