import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

// Lubdub's own streams: what is sampled many times a second comes in frames, each sample once and none left out.
extension Check {
    private static let recording = Claim.notified(VendorUUID.ecgSamples.uuid, of: VendorUUID.ecg.uuid)
    private static let measuring = Claim.notified(VendorUUID.heartRates.uuid, of: VendorUUID.measurements.uuid)

    static let sampleStreams = [
        Check(
            "ecg/frames_are_whole", "a frame has the samples that it counts, and flags that there are",
            "Lubdub, ECG service 0200, Samples 0201", if: recording
        ) { peripheral throws(CheckExit) in
            for frame in try peripheral.ecgFrames(for: .seconds(10)) {
                let known = frame.value.header.flags.subtracting([.gap, .leadOff, .synthetic, .saturated]).isEmpty
                try peripheral.expect(known, "flags whose bits 4 to 7 are 0", seen: frame.words)
            }
        },
        Check(
            "ecg/no_gap", "samples are numbered without a gap, or the frame says that there is one",
            "Lubdub, ECG service 0200, Samples 0201", if: recording
        ) { peripheral throws(CheckExit) in
            try peripheral.expectContinuous(try peripheral.ecgFrames(for: .seconds(20)).map(\.place))
        },
        Check(
            "ecg/rate", "as many samples come in a second as the description says",
            "Lubdub, ECG service 0200, Description 0202", if: recording,
            .characteristic(VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid)
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(
                VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid
            ).valueHandle
            let octets = try peripheral.read(handle, "the description")
            guard let description = try? ECGDescription(octets: octets), description.rate > 0 else {
                throw peripheral.failure(expected: "rate, resolution and leads in five octets", seen: octets.hex)
            }
            let places = try peripheral.ecgFrames(for: .seconds(20)).map(\.place)
            try peripheral.expectRate(Double(description.rate), places)
        },
        Check(
            "measurements/no_gap", "heart rates are numbered without a gap",
            "Lubdub, Measurements service 0300, Values 0301", if: measuring
        ) { peripheral throws(CheckExit) in
            try peripheral.expectContinuous(try peripheral.heartRateFrames(for: .seconds(20)))
        },
    ]
}

/// Where a frame stands in its stream.
private struct FramePlace {
    let sequence: UInt16
    let index: UInt32
    let count: Int
    /// Whether the frame says that samples before it are missing.
    let isAfterGap: Bool
    let instant: Instant

    var words: String { "frame \(sequence) with \(count) samples from \(index) at \(instant) s" }
}

private struct HeardFrame {
    let value: ECGFrame
    let octets: [UInt8]
    let instant: Instant

    var words: String { "\(octets.prefix(10).map { $0 }.hex) at \(instant) s" }

    var place: FramePlace {
        FramePlace(
            sequence: value.header.sequence, index: value.header.index, count: value.samples.count,
            isAfterGap: value.header.flags.contains(.gap), instant: instant)
    }
}

extension Examiner {
    private mutating func frames(
        of value: VendorUUID, _ service: VendorUUID, for duration: Duration
    ) throws(CheckExit) -> [Notice] {
        let value = try characteristic(value.uuid, of: service.uuid)
        try subscribe(.notification, to: value)
        let heard = try notices(of: value.valueHandle, for: duration)
        guard heard.count > 2 else { throw .inconclusive("\(heard.count) frames came within \(duration.inWords)") }
        return heard
    }

    fileprivate mutating func ecgFrames(for duration: Duration) throws(CheckExit) -> [HeardFrame] {
        var frames: [HeardFrame] = []
        for notice in try self.frames(of: .ecgSamples, .ecg, for: duration) {
            do throws(Malformed) {
                let frame = try ECGFrame(octets: notice.octets[...])
                frames.append(HeardFrame(value: frame, octets: notice.octets, instant: notice.instant))
            } catch { throw failure(expected: "a frame of the ECG service", seen: "\(notice.octets.hex): \(error)") }
        }
        return frames
    }

    fileprivate mutating func heartRateFrames(for duration: Duration) throws(CheckExit) -> [FramePlace] {
        var frames: [FramePlace] = []
        for notice in try self.frames(of: .heartRates, .measurements, for: duration) {
            do throws(Malformed) {
                let header = try HeartRateFrame.header(of: notice.octets[...])
                frames.append(
                    FramePlace(
                        sequence: header.sequence, index: header.index, count: header.count, isAfterGap: false,
                        instant: notice.instant))
            } catch { throw failure(expected: "a frame of measurements", seen: "\(notice.octets.hex): \(error)") }
        }
        return frames
    }

    fileprivate func expectContinuous(_ frames: [FramePlace]) throws(CheckExit) {
        for (frame, next) in zip(frames, frames.dropFirst()) {
            let end = frame.index &+ UInt32(clamping: frame.count)
            let isNext = next.sequence == frame.sequence &+ 1
            try expect(
                isNext && (next.index == end || next.isAfterGap && next.index > end),
                "frame \(frame.sequence &+ 1) with samples from \(end)", seen: next.words)
        }
    }

    fileprivate func expectRate(_ rate: Double, _ frames: [FramePlace]) throws(CheckExit) {
        guard let first = frames.first, let last = frames.last else { return }
        let seconds = Double((last.instant.sinceStart - first.instant.sinceStart).inNanoseconds) / 1e9
        let count = Double(last.index &- first.index)
        // Frames wait for their turn on the air: two of them more or less are no other rate.
        let leeway = Double(2 * frames.map(\.count).reduce(0, max))
        try expect(
            abs(count - rate * seconds) <= leeway + rate * seconds / 100,
            "\(Int(rate)) samples in a second, as the description says",
            seen: "\(Int(count)) samples in \(Int((seconds * 1000).rounded())) ms")
    }
}
