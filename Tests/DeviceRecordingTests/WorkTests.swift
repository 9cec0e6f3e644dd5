import ATT
import Basics
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

    private static let link: [UInt8] = [0x40, 0x00]

    private static func fragment(_ flags: UInt8, _ content: [UInt8]) -> [UInt8] {
        [link[0], link[1] | flags << 4, UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
    }

    @Test func `Fragments of a frame are not copied again and again`() {
        var capture = DeviceCapture()
        let direction = DeviceCapture.Direction(link: .init(controller: 0, handle: 0x040), kind: .aclToHost)
        let begin = Self.fragment(2, [0xFF, 0xFF, 4, 0])
        capture.take(.aclToHost, controller: 0, at: .start, begin[...])
        let next = Self.fragment(1, [1])
        let moves = Self.moves(60_000) { _ in
            capture.take(.aclToHost, controller: 0, at: .start, next[...])
            return capture.frames[direction]
        }
        #expect(capture.frames[direction]?.count == 60_004)
        #expect(moves < 40)
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
