import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

// Lubdub's vendor streams: frames of samples, without a duplicate or a gap.
extension Check {
    private static let hasSamples = Prerequisite.notified(VendorUUID.ecgSamples.uuid, of: VendorUUID.ecg.uuid)
    private static let hasHeartRates = Prerequisite.notified(
        VendorUUID.heartRates.uuid, of: VendorUUID.measurements.uuid)

    static let sampleStreams = [
        Check(
            "ecg/frames_are_whole", "each frame has as many samples as it announces, and no reserved flags",
            "Lubdub, ECG service 0200, Samples 0201", if: hasSamples
        ) { peripheral throws(CheckExit) in
            for frame in try peripheral.ecgFrames(for: .seconds(10)) {
                let known = frame.value.header.flags.subtracting([.gap, .leadOff, .synthetic, .saturated]).isEmpty
                try peripheral.expect(known, "bits 4 to 7 of the flags are 0", seen: frame.description)
            }
        },
        Check(
            "ecg/no_gap", "samples have consecutive numbers, unless the frame reports a gap",
            "Lubdub, ECG service 0200, Samples 0201", if: hasSamples
        ) { peripheral throws(CheckExit) in
            try peripheral.expectContinuous(try peripheral.ecgFrames(for: .seconds(20)).map(\.place))
        },
        Check(
            "ecg/rate", "the sample rate matches the description",
            "Lubdub, ECG service 0200, Description 0202", if: hasSamples,
            .characteristic(VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid)
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(
                VendorUUID.ecgDescription.uuid, of: VendorUUID.ecg.uuid
            ).valueHandle
            let octets = try peripheral.read(handle, "the description")
            guard let description = try? ECGDescription(octets: octets), description.rate > 0 else {
                throw peripheral.failure(expected: "five octets: rate, resolution and leads", seen: octets.hex)
            }
            let places = try peripheral.ecgFrames(for: .seconds(20)).map(\.place)
            try peripheral.expectRate(Double(description.rate), places)
        },
        Check(
            "measurements/no_gap", "heart rates have consecutive numbers",
            "Lubdub, Measurements service 0300, Values 0301", if: hasHeartRates
        ) { peripheral throws(CheckExit) in
            try peripheral.expectContinuous(try peripheral.heartRateFrames(for: .seconds(20)))
        },
    ]
}

/// The position of a frame in its stream.
private struct FramePlace {
    let sequence: UInt16
    let index: UInt32
    let count: Int
    /// Whether the frame reports missing samples before it.
    let isAfterGap: Bool
    let instant: Instant

    var description: String { "frame \(sequence) with \(count) samples from \(index) at \(instant) s" }
}

private struct ReceivedFrame {
    let value: ECGFrame
    let octets: [UInt8]
    let instant: Instant

    var description: String { "\(octets.prefix(10).map { $0 }.hex) at \(instant) s" }

    var place: FramePlace {
        FramePlace(
            sequence: value.header.sequence, index: value.header.index, count: value.samples.count,
            isAfterGap: value.header.flags.contains(.gap), instant: instant)
    }
}

extension Examiner {
    private mutating func frames(
        of value: VendorUUID, _ service: VendorUUID, for duration: Duration
    ) throws(CheckExit) -> [ReceivedValue] {
        let value = try characteristic(value.uuid, of: service.uuid)
        try subscribe(.notification, to: value)
        let received = try receivedValues(of: value.valueHandle, for: duration)
        guard received.count > 2 else {
            throw .inconclusive("fewer than 3 frames arrived within \(duration.formatted)")
        }
        return received
    }

    fileprivate mutating func ecgFrames(for duration: Duration) throws(CheckExit) -> [ReceivedFrame] {
        var frames: [ReceivedFrame] = []
        for received in try self.frames(of: .ecgSamples, .ecg, for: duration) {
            do throws(Malformed) {
                let frame = try ECGFrame(octets: received.octets[...])
                frames.append(ReceivedFrame(value: frame, octets: received.octets, instant: received.instant))
            } catch { throw failure(expected: "an ECG frame", seen: "\(received.octets.hex): \(error)") }
        }
        return frames
    }

    fileprivate mutating func heartRateFrames(for duration: Duration) throws(CheckExit) -> [FramePlace] {
        var frames: [FramePlace] = []
        for received in try self.frames(of: .heartRates, .measurements, for: duration) {
            do throws(Malformed) {
                let header = try HeartRateFrame.header(of: received.octets[...])
                frames.append(
                    FramePlace(
                        sequence: header.sequence, index: header.index, count: header.count, isAfterGap: false,
                        instant: received.instant))
            } catch { throw failure(expected: "a heart rate frame", seen: "\(received.octets.hex): \(error)") }
        }
        return frames
    }

    fileprivate func expectContinuous(_ frames: [FramePlace]) throws(CheckExit) {
        for (frame, next) in zip(frames, frames.dropFirst()) {
            let end = frame.index &+ UInt32(clamping: frame.count)
            let isNext = next.sequence == frame.sequence &+ 1
            try expect(
                isNext && (next.index == end || next.isAfterGap && next.index > end),
                "frame \(frame.sequence &+ 1) with samples from \(end)", seen: next.description)
        }
    }

    fileprivate func expectRate(_ rate: Double, _ frames: [FramePlace]) throws(CheckExit) {
        guard let first = frames.first, let last = frames.last else { return }
        let seconds = Double((last.instant.sinceStart - first.instant.sinceStart).inNanoseconds) / 1e9
        let count = Double(last.index &- first.index)
        // Frames wait for connection events, so the count may be off by two frames.
        let leeway = Double(2 * frames.map(\.count).reduce(0, max))
        try expect(
            abs(count - rate * seconds) <= leeway + rate * seconds / 100,
            "\(Int(rate)) samples per second, as in the description",
            seen: "\(Int(count)) samples in \(Int((seconds * 1000).rounded())) ms")
    }
}
