import Characteristics

/// An electrocardiogram by Polar Measurement Data: what has to be agreed on before it comes, and the numbers of its
/// samples, of which a frame says only when the last was measured.
///
///     subscribed to both ──▶ which settings are there? ──▶ start with the best of them ──▶ frames
struct PolarStream: Sendable {
    /// What a response of the control point means.
    enum Answer: Equatable, Sendable {
        case nothing
        /// This has to be written.
        case write(PMD.Request)
        /// No frames will come.
        case refused(PMD.Status)
    }

    /// In Hz; 130, as all of Polar's straps have, until the device has said otherwise.
    private(set) var rate = 130
    /// Whether the device still has to answer.
    var isAsking: Bool { asked != nil }

    private static let hour: UInt64 = 3_600_000_000_000

    private var isOffered = true
    /// What has been asked, and not been answered yet; nothing else is an answer.
    private var asked: PMD.Operation?
    private var last: UInt64?
    private var next: UInt32 = 0
    private var sequence: UInt16 = 0

    /// The device has said which measurements it has.
    mutating func offers(_ features: PMD.Features) { isOffered = features.types & 1 << PMD.ecg != 0 }

    /// What to write first; nil when there is nothing to be had, or it has been asked for.
    mutating func start() -> PMD.Request? {
        guard isOffered else { return nil }
        (isOffered, asked) = (false, .settings)  // once in each connection
        return PMD.Request(.settings)
    }

    /// Takes what the control point indicated.
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

    /// No answer counts any more.
    mutating func giveUp() { asked = nil }

    /// The best of each.
    private mutating func choose(_ settings: [PMD.Setting]) -> [PMD.Setting] {
        var chosen: [PMD.Setting] = []
        for setting in settings {
            guard let best = setting.values.max(), let choice = PMD.Setting(setting.kind, [best]) else { continue }
            if setting.kind == .sampleRate, best > 0 { rate = Int(best) }
            chosen.append(choice)
        }
        return chosen
    }

    /// Numbers a frame and its first sample, by the time that has passed since the latest frame; one that is not later
    /// gets the numbers that it must have had.  Time that leaps by an hour, or is 0, says nothing: the stream goes on.
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
