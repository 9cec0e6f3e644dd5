import Basics
import Bluetooth
import Characteristics
import Checks
import GATT

// Lubdub's vendor streams: frames of samples, without a duplicate or a gap.
extension Check {
    private static let hasSamples = Prerequisite.characteristic(
        VendorUUID.ecgSamples.uuid, of: VendorUUID.ecg.uuid, with: .notify)
    private static let hasHeartRates = Prerequisite.characteristic(
        VendorUUID.heartRates.uuid, of: VendorUUID.measurements.uuid, with: .notify)

    static let sampleStreams = [
        Check(
            "ecg/frames_are_whole", "each frame has as many samples as it announces, and no reserved flags",
            "Lubdub, ECG service 0200, Samples 0201", recording: .values(for: .seconds(10)), if: hasSamples
        ) { peripheral throws(CheckExit) in
            for frame in try peripheral.ecgFrames(for: .seconds(10)).joined() {
                let known = frame.flags.subtracting([.gap, .leadOff, .synthetic, .saturated]).isEmpty
                try peripheral.expect(known, "bits 4 to 7 of the flags are 0", seen: frame.beginning)
            }
        },
        Check(
            "ecg/no_gap", "samples have consecutive numbers, unless the frame reports a gap",
            "Lubdub, ECG service 0200, Samples 0201", recording: .values(for: .seconds(20)), if: hasSamples
        ) { peripheral throws(CheckExit) in
            for frames in try peripheral.ecgFrames(for: .seconds(20)) { try peripheral.expectContinuous(frames) }
        },
        Check(
            "ecg/rate", "the sample rate matches the description",
            "Lubdub, ECG service 0200, Description 0202", recording: .values(for: .seconds(20)), if: hasSamples,
            .characteristic(VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid)
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.read(VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid)
            guard let description = try? ECGDescription(octets: octets), description.rate > 0 else {
                throw peripheral.failure(expected: "five octets: rate, resolution and leads", seen: octets.text)
            }
            let parts = try peripheral.ecgFrames(for: .seconds(20))
            if let longest = parts.max(by: { $0.count < $1.count }) {
                try peripheral.expectRate(Double(description.rate), longest)
            }
        },
        Check(
            "measurements/no_gap", "heart rates have consecutive numbers",
            "Lubdub, Measurements service 0300, Values 0301", recording: .values(for: .seconds(20)), if: hasHeartRates
        ) { peripheral throws(CheckExit) in
            for frames in try peripheral.heartRateFrames(for: .seconds(20)) { try peripheral.expectContinuous(frames) }
        },
    ]
}

/// A received frame, and its position in its stream.
private struct Frame {
    let sequence: UInt16
    let index: UInt32
    let count: Int
    /// Only of an ECG frame.
    var flags: ECGFrame.Flags = []
    let received: Examiner.ReceivedValue

    /// Whether the frame reports missing samples before it.
    var isAfterGap: Bool { flags.contains(.gap) }
    var beginning: String { "\(Array(received.octets.prefix(10)).text) at \(received.instant) s" }
    var description: String { "frame \(sequence) with \(count) samples from \(index) at \(received.instant) s" }
}

extension Examiner {
    /// The frames, connection by connection.
    private mutating func frames(
        of value: VendorUUID, _ service: VendorUUID, for duration: Duration, _ name: String,
        _ read: (ReceivedValue) throws(Malformed) -> Frame
    ) throws(CheckExit) -> [[Frame]] {
        let received = try receiveParts(SubscribableValue(value.uuid, of: service.uuid), for: duration)
        guard received.contains(where: { $0.count > 2 }) else {
            throw .inconclusive("fewer than 3 frames arrived within \(duration.formatted)")
        }
        var parts: [[Frame]] = []
        for part in received {
            var frames: [Frame] = []
            for value in part {
                do throws(Malformed) { frames.append(try read(value)) } catch {
                    throw failure(expected: name, seen: "\(value.octets.text): \(error)")
                }
            }
            parts.append(frames)
        }
        return parts
    }

    fileprivate mutating func ecgFrames(for duration: Duration) throws(CheckExit) -> [[Frame]] {
        try frames(of: .ecgSamples, .ecg, for: duration, "an ECG frame") { received throws(Malformed) in
            let frame = try ECGFrame(octets: received.octets[...])
            return Frame(
                sequence: frame.header.sequence, index: frame.header.index, count: frame.samples.count,
                flags: frame.header.flags, received: received)
        }
    }

    fileprivate mutating func heartRateFrames(for duration: Duration) throws(CheckExit) -> [[Frame]] {
        try frames(of: .heartRates, .measurements, for: duration, "a heart rate frame") { received throws(Malformed) in
            let header = try HeartRateFrame.header(of: received.octets[...])
            return Frame(sequence: header.sequence, index: header.index, count: header.count, received: received)
        }
    }

    fileprivate func expectContinuous(_ frames: [Frame]) throws(CheckExit) {
        for (frame, next) in zip(frames, frames.dropFirst()) {
            let end = frame.index &+ UInt32(clamping: frame.count)
            let isNext = next.sequence == frame.sequence &+ 1
            try expect(
                isNext && (next.index == end || next.isAfterGap && next.index > end),
                "frame \(frame.sequence &+ 1) with samples from \(end)", seen: next.description)
        }
    }

    fileprivate func expectRate(_ rate: Double, _ frames: [Frame]) throws(CheckExit) {
        guard let first = frames.first, let last = frames.last else { return }
        let seconds = Double((last.received.instant.sinceStart - first.received.instant.sinceStart).inNanoseconds) / 1e9
        let count = Double(last.index &- first.index)
        // Frames wait for connection events, so the count may be off by two frames.
        let leeway = Double(2 * frames.map(\.count).reduce(0, max))
        try expect(
            abs(count - rate * seconds) <= leeway + rate * seconds / 100,
            "\(Int(rate)) samples per second, as in the description",
            seen: "\(Int(count)) samples in \(Int((seconds * 1000).rounded())) ms")
    }
}
