import Basics
import ScenarioModel

/// The samples that reached a client since it subscribed to a stream, by their positions, and how far it has shown them.
///
/// Positions are indices; of frames that have only time stamps, numbers in the order of arrival. Samples that arrive late, after
/// others that follow them, a client may show or drop.
struct StreamArrivals: Sendable {
    struct Frame: Sendable {
        let samples: Range<Int64>
        /// The number of samples of a late frame that has only a time stamp; its range is empty, at the place where it belongs.
        var unplaced: Int64 = 0
        /// Nil if the frame has an index.
        let timeStamp: Double?
        let isLate: Bool
        let at: Instant
    }

    /// What is wrong with a line.
    enum Fault: Hashable, Sendable {
        /// It shows samples again, or samples from before those of the line before, which ended at this position.
        case back(to: Int64, from: Int64)
        /// It leaves out samples that it does not count as lost.
        case gap(from: Int64, to: Int64, lost: Int64)
        /// It shows more samples than arrived among its own.
        case more(Int64, than: Int64)
        /// It counts samples as lost that have arrived.
        case fewer(Int64, than: Int64)
        /// It has a time stamp of no frame.
        case unknown(Double)
    }

    /// A step back by more samples than this, or this number of frames in a row that are late, mean that the device numbers anew.
    private static let (farthestStepBack, mostLate) = (Int64(65_536), 8)
    /// The number of frames that are kept.
    private static let mostFrames = 20_000
    /// The number of samples that are kept after they were shown.
    private static let mostShown = Int64(2048)
    /// The number of frames among which a repeated one is sought.
    private static let recent = 64

    private var frames: ArraySlice<Frame> = []
    private var end: Int64?
    /// The number of frames in a row that were late, without those that are the same as another.
    private var late = 0
    /// The position after the last sample that was shown; nil before the first line.
    private(set) var shown: Int64?
    /// Whether positions have lost their meaning, because the device has begun to number anew, or a frame was not understood.
    private(set) var isUnknown = false

    /// Whether nothing has arrived.
    var isEmpty: Bool { end == nil }

    /// The earliest frame that was not shown; nil if all were, or the client has shown none yet.
    var waiting: Frame? {
        guard let shown, !isUnknown else { return nil }
        return frames.first { !$0.isLate && $0.samples.upperBound > shown }
    }

    /// The last frame that arrived.
    var last: Frame? { frames.last }

    // MARK: Frames

    /// Takes a frame of `count` samples, the first of which has an index, or the last a time stamp.
    mutating func arrived(_ count: Int, index: UInt32?, timeStamp: Double?, at now: Instant) {
        guard count > 0 else { return }
        if let index {
            arrived(unwrapped(index), count, nil, at: now)
        } else if let timeStamp {
            guard !frames.suffix(Self.recent).contains(where: { $0.timeStamp == timeStamp }) else { return }
            if let next = frames.suffix(Self.recent).first(where: { $0.timeStamp ?? 0 > timeStamp && !$0.isLate }) {
                add(
                    Frame(
                        samples: next.samples.lowerBound..<next.samples.lowerBound, unplaced: Int64(count),
                        timeStamp: timeStamp, isLate: true, at: now))
            } else {
                arrived(end ?? 0, count, timeStamp, at: now)
            }
        } else {
            isUnknown = true
        }
    }

    private mutating func arrived(_ begin: Int64, _ count: Int, _ timeStamp: Double?, at now: Instant) {
        let samples = begin..<begin + Int64(count)
        guard !frames.suffix(Self.recent).contains(where: { $0.samples == samples }) else { return }
        isUnknown = isUnknown || (end ?? begin) - begin > Self.farthestStepBack
        add(Frame(samples: samples, timeStamp: timeStamp, isLate: end.map { begin < $0 } ?? false, at: now))
        end = max(end ?? samples.upperBound, samples.upperBound)
    }

    private mutating func add(_ frame: Frame) {
        late = frame.isLate ? late + 1 : 0
        isUnknown = isUnknown || late >= Self.mostLate
        frames.append(frame)
        if frames.count > Self.mostFrames { frames.removeFirst() }
    }

    /// The position of an index, near the last one that arrived.
    private func unwrapped(_ index: UInt32) -> Int64 {
        guard let end else { return Int64(index) }
        return end + Int64(Int32(bitPattern: index &- UInt32(truncatingIfNeeded: end)))
    }

    // MARK: Lines

    /// Takes a line about lost samples alone.
    mutating func counted(lost: Int64) { shown = shown.map { $0 + lost } }

    /// Takes a line about `count` samples, the first of which has an index; `lost` more are missing among them, or before them.
    mutating func showed(_ count: Int64, lost: Int64, from index: UInt32) -> Fault? {
        let first = unwrapped(index)
        guard let begin = shown else { return begins(count, lost: lost, from: first) }
        guard first >= begin else { return .back(to: first, from: begin) }
        guard first <= begin + lost else { return .gap(from: begin, to: first, lost: lost) }
        return showed(count, in: begin..<begin + count + lost, end: end ?? first)
    }

    /// Takes the first line of a subscription: lost samples may precede it, since numbers can go on where a link was lost.
    private mutating func begins(_ count: Int64, lost: Int64, from first: Int64) -> Fault? {
        var left = count
        for frame in frames where !frame.isLate && frame.samples.upperBound > first {
            let begin = max(frame.samples.lowerBound, first)
            let end = min(frame.samples.upperBound, begin + left)
            left -= end - begin
            guard left == 0, end - first - count <= lost else { continue }
            shown = end
            return nil
        }
        return showed(count, in: first..<first + count + lost, end: end ?? first)
    }

    /// Takes a line about `count` samples, the last of which has a time stamp.
    mutating func showed(_ count: Int64, to timeStamp: Double) -> Fault? {
        guard let last = frames.last(where: { $0.timeStamp == timeStamp }) else { return .unknown(timeStamp) }
        let begin = shown ?? last.samples.upperBound - count
        guard last.samples.upperBound > begin else { return .back(to: last.samples.lowerBound, from: begin) }
        return showed(count, in: begin..<last.samples.upperBound, end: last.samples.upperBound)
    }

    private mutating func showed(_ count: Int64, in range: Range<Int64>, end: Int64) -> Fault? {
        // Late samples count, but need not be shown.
        let counts = frames.map { frame in
            let isUnplaced = frame.samples.isEmpty && range.contains(frame.samples.lowerBound)
            return (isUnplaced ? frame.unplaced : Int64(frame.samples.clamped(to: range).count), frame.isLate)
        }
        let all = counts.map(\.0).reduce(0, +)
        let inOrder = counts.filter { !$0.1 }.map(\.0).reduce(0, +)
        if count > all || range.upperBound > end { return .more(count, than: all) }
        if count < inOrder { return .fewer(count, than: inOrder) }
        shown = range.upperBound
        while let first = frames.first, first.samples.upperBound <= range.upperBound - Self.mostShown {
            frames.removeFirst()
        }
        return nil
    }
}
