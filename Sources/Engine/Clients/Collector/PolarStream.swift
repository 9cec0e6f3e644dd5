import Characteristics

/// An electrocardiogram by Polar Measurement Data: negotiates the settings, and numbers the samples, since a frame has
/// only the time of the last one.
///
///     subscribed to both ──▶ which settings are there? ──▶ start with the best of them ──▶ frames
struct PolarStream: Sendable {
    /// The meaning of a response of the control point.
    enum Answer: Equatable, Sendable {
        case nothing
        case write(PMD.Request)
        /// The device sends no frames.
        case refused(PMD.Status)
    }

    /// In Hz; Polar straps send 130 unless their settings differ.
    private(set) var rate = 130
    var isAsking: Bool { asked != nil }

    private static let hour: UInt64 = 3_600_000_000_000

    private var isOffered = true
    /// The request in progress; responses to others are ignored.
    private var asked: PMD.Operation?
    private var last: UInt64?
    private var next: UInt32 = 0
    private var sequence: UInt16 = 0

    /// Handles the list of measurements that the device offers.
    mutating func offers(_ features: PMD.Features) { isOffered = features.types & 1 << PMD.ecg != 0 }

    /// The first request; nil when the device has no ECG, or the request was sent already.
    mutating func start() -> PMD.Request? {
        guard isOffered else { return nil }
        (isOffered, asked) = (false, .settings)  // once in each connection
        return PMD.Request(.settings)
    }

    /// Handles an indication of the control point.
    mutating func answered(_ response: PMD.Response) -> Answer {
        guard response.type == PMD.ecg, let asked, response.operation == asked.rawValue else { return .nothing }
        switch (asked, response.status) {
        case (.settings, .success):
            self.asked = .start
            return .write(PMD.Request(.start, settings: choose(response.settings)))
        case (_, .success), (_, .alreadyInState):
            self.asked = nil
            return .nothing
        case (_, let status):
            self.asked = nil
            return .refused(status)
        }
    }

    /// Ignores all further responses.
    mutating func giveUp() { asked = nil }

    /// The highest value of each setting.
    private mutating func choose(_ settings: [PMD.Setting]) -> [PMD.Setting] {
        var chosen: [PMD.Setting] = []
        for setting in settings {
            guard let best = setting.values.max(), let choice = PMD.Setting(setting.kind, [best]) else { continue }
            if setting.kind == .sampleRate, best > 0 { rate = Int(best) }
            chosen.append(choice)
        }
        return chosen
    }

    /// Numbers a frame and its first sample by the time since the latest frame; a frame that is not later gets the
    /// numbers that belong to its time. A time stamp that leaps by an hour or is 0 is ignored: numbering continues.
    mutating func number(_ timeStamp: UInt64, count: Int) -> ECGFrame.Header {
        defer { sequence &+= 1 }
        var index = next
        if let last, last > 0, timeStamp > 0 {
            let distance = last < timeStamp ? timeStamp - last : last - timeStamp
            let passed = distance < Self.hour ? Int((Double(distance) * Double(rate) / 1e9).rounded()) : 0
            if timeStamp <= last, distance < Self.hour {
                index &-= UInt32(truncatingIfNeeded: passed + count)
                return ECGFrame.Header(flags: [], sequence: sequence, index: index)
            }
            index &+= UInt32(truncatingIfNeeded: max(0, passed - count))
        }
        (last, next) = (timeStamp, index &+ UInt32(truncatingIfNeeded: count))
        return ECGFrame.Header(flags: [], sequence: sequence, index: index)
    }
}
