import Basics
import Bluetooth
import Characteristics
import FoundationEssentials
import Mutations
import Testing

/// `Documentation/vendor-services.md` matches the codecs.
@Suite struct DocumentationTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// The lines of all blocks of octets: the octets, and their meaning.
    private static func examples() throws -> [(octets: String, words: String)] {
        var isInside = false
        var examples: [(octets: String, words: String)] = []
        for line in try text("Documentation/vendor-services.md").split(separator: "\n") {
            if line.hasPrefix("```") {
                isInside = line == "```octets"
            } else if isInside {
                examples.append((String(line.prefix(50)).trimmed, String(line.dropFirst(51))))
            }
        }
        return examples
    }

    private static func frame(
        _ flags: ECGFrame.Flags, sequence: UInt16, index: UInt32, _ samples: [Int16]
    ) throws -> [UInt8] {
        let header = ECGFrame.Header(flags: flags, sequence: sequence, index: index, lead: 2)
        return try #require(ECGFrame(header, samples: samples)).octets
    }

    /// The examples, in the order of the page.
    private static func codecs() throws -> [[UInt8]] {
        let settings = [PMD.Setting(.sampleRate, [130]), PMD.Setting(.resolution, [14])].compactMap(\.self)
        let start = PMD.Request(.start, settings: settings)
        var polar = PMDControlPoint()
        return [
            VendorCount(4211).octets,
            Temperature(celsius: 36.6).octets,
            try frame(.synthetic, sequence: 42, index: 10000, [-16, 120, 1000]),
            try frame([.synthetic, .gap, .leadOff], sequence: 43, index: 10120, [0, 0]),
            ECGDescription(rate: 500).octets,
            try #require(HeartRateFrame(sequence: 7, index: 118, values: [66, 66, 300])).octets,
            VendorCount(9000).octets,
            polar.features.octets,
            PMD.Request(.settings).octets,
            polar.answer(PMD.Request(.settings).octets, mtu: 232).octets,
            start.octets,
            polar.answer(start.octets, mtu: 232).octets,
            polar.answer(start.octets, mtu: 232).octets,
            PMDECGFrame(timeStamp: 1_000_000_000, samples: [-16, 1000]).octets,
            PMD.Request(.stop).octets,
            polar.answer(PMD.Request(.stop).octets, mtu: 232).octets,
        ]
    }

    @Test func `Each example has the octets of its codec`() throws {
        let examples = try Self.examples()
        let codecs = try Self.codecs()
        #expect(examples.count == codecs.count)
        for ((octets, words), codec) in zip(examples, codecs) { #expect(octets == codec.hex, "\(words)") }
    }

    @Test func `Each UUID is documented with its description`() throws {
        let page = try Self.text("Documentation/vendor-services.md")
        for uuid in VendorUUID.allCases {
            let name = uuid.userDescription.map { "| | \($0) " } ?? ""
            #expect(page.contains("\(name)| `\(uuid.uuid)` |"))
        }
        for identifier in PMD.Identifier.allCases { #expect(page.contains("`\(identifier.uuid)`")) }
    }

    @Test func `The capacities of frames match the page`() {
        for (mtu, samples) in [(23, 5), (247, 117), (517, 251)] { #expect(ECGFrame.capacity(mtu: mtu) == samples) }
        #expect(HeartRateFrame.capacity(mtu: 517) == 252)
        #expect(PMDECGFrame.capacity(mtu: 232) == 73)
    }

    @Test func `The decoder of the page is the one in the test`() throws {
        let code = try Self.text("Tests/CharacteristicsTests/ECGSamples.swift")
        #expect(try Self.text("Documentation/vendor-services.md").contains("```swift\n\(code)```\n"))
        let octets = try Self.frame([.synthetic, .gap], sequence: 0xFFFE, index: 0xFFFF_FFF0, [.min, -1, .max])
        let decoded = try #require(ECGSamples(octets))
        #expect(decoded.flags == 5 && decoded.sequence == 0xFFFE && decoded.index == 0xFFFF_FFF0)
        #expect(decoded.lead == 2 && decoded.microvolts == [.min, -1, .max])
        for mutation in octets.mutations {
            #expect((ECGSamples(mutation) == nil) == ((try? ECGFrame(octets: mutation[...])) == nil))
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
