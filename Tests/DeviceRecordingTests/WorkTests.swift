import ATT
import Basics
import Bluetooth
import ScenarioModel
import Testing

@testable import DeviceRecording

/// Recording does work in proportion to the trace: these tests count it.
@Suite struct WorkTests {
    private final class Counter { var count = 0 }

    /// A word that counts how often it is compared.
    private struct Word: Hashable {
        let number: Int
        let comparisons: Counter

        static func == (left: Word, right: Word) -> Bool {
            left.comparisons.count += 1
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test(arguments: [1, 100, 10_000]) func `Each name is compared with few others`(different: Int) {
        let counter = Counter()
        let words = (0..<30_000).map { (handle: UInt16($0), word: Word(number: $0 % different, comparisons: counter)) }
        let unique = uniqueWords(words)
        #expect(unique.count == words.count)
        #expect(counter.count < 4 * words.count)
    }

    @Test func `A word that occurs again gets its handle`() {
        #expect(uniqueWords([(1, "value"), (4, "name"), (6, "value")]) == [1: "value", 4: "name", 6: "value_6"])
    }

    /// How often the storage of an array moves while `body` makes it longer; without a copy for each part, it does so when its
    /// capacity doubles.
    private static func moves(_ count: Int, _ body: (Int) -> [UInt8]?) -> Int {
        var (last, moves) = (UInt?.none, 0)
        for step in 0..<count {
            let place = unsafe body(step)?.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            if place != last { moves += 1 }
            last = place
        }
        return moves
    }

    // Octets of HCI events.  Core 6.0, Vol 4, Part E, sections 7.7.65.1 and 7.7.65.2.

    private static func report(_ address: UInt64) -> [UInt8] {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
        return [0x3E, 12, 0x02, 1, 0, 1] + octets + [0, 0xC4]
    }

    private static func connection(_ address: UInt64, _ handle: UInt8) -> [UInt8] {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
        return [0x3E, 19, 0x01, 0, handle, 0, 0, 1] + octets + [0x18, 0, 0, 0, 0x48, 0, 0]
    }

    private static func disconnection(_ handle: UInt8) -> [UInt8] { [0x05, 4, 0, handle, 0, 0x13] }

    /// A connection in which the client finds one service.
    private static func discover(_ address: UInt64, by handle: UInt8, _ capture: inout DeviceCapture) {
        capture.take(.event, controller: 0, at: .start, connection(address, handle)[...])
        let request: [UInt8] = [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28]
        let response: [UInt8] = [0x11, 6, 1, 0, 5, 0, 0x0D, 0x18]
        for (kind, pdu) in [(PacketRecord.Kind.aclToController, request), (.aclToHost, response)] {
            let frame = [UInt8(pdu.count), 0, 4, 0] + pdu
            capture.take(kind, controller: 0, at: .start, ([handle, 0x20, UInt8(frame.count), 0] + frame)[...])
        }
    }

    @Test func `A device is recorded however many others have advertised before, and each costs a few steps`() throws {
        var capture = DeviceCapture()
        Self.discover(0xC0FF_EE00_0001, by: 1, &capture)
        capture.take(.event, controller: 0, at: .start, Self.disconnection(1)[...])
        let (others, loyal) = (20_000, UInt64(0xC0FF_EE00_0003))
        for other in 0..<others {
            capture.take(.event, controller: 0, at: .start, Self.report(0x4000_0000_0000 + UInt64(other))[...])
            if other.isMultiple(of: 500) { capture.take(.event, controller: 0, at: .start, Self.report(loyal)[...]) }
        }
        Self.discover(0xC0FF_EE00_0002, by: 2, &capture)
        let found = capture.devices.map { $0.address?.number }
        #expect(found == [0xC0FF_EE00_0001, 0xC0FF_EE00_0002])
        #expect(capture.others.count == DeviceCapture.maximumDevices - 2)
        #expect(capture.others.first?.address?.number == loyal, "who advertises again and again stays")
        #expect(capture.looks < 3 * others)
        #expect(capture.ignoredCount == 0)
    }

    @Test func `Devices with services stay, and what is ignored for them is counted`() throws {
        var capture = DeviceCapture()
        for device in 0..<UInt64(DeviceCapture.maximumDevices) {
            Self.discover(0xC000_0000_0000 + device, by: 1, &capture)
            capture.take(.event, controller: 0, at: .start, Self.disconnection(1)[...])
        }
        for other in 0..<UInt64(100) {
            capture.take(.event, controller: 0, at: .start, Self.report(0x4000_0000_0000 + other)[...])
        }
        #expect(capture.devices.count == DeviceCapture.maximumDevices)
        #expect(capture.ignoredCount == 100)
        #expect(capture.looks < 3 * DeviceCapture.maximumDevices)
    }

    @Test func `Parts of a long value are not copied again and again`() {
        var attributes = AttributeCapture()
        let moves = Self.moves(3000) { step in
            attributes.takeRequest(.readBlobRequest(handle: 3, offset: UInt16(step * 20)))
            attributes.takeResponse(.readBlobResponse([UInt8](repeating: 7, count: 20)), at: .start)
            return attributes.values[3]
        }
        #expect(attributes.values[3]?.count == 60_000)
        #expect(moves < 40)
    }
}
