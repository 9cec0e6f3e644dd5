import Linux

/// What a client writes to its standard error: the last lines, in bounded memory.
struct ClientErrors: Sendable {
    private static let maximumLine = 2 << 10
    private static let maximumLines = 200
    /// The maximum octets of all kept lines.
    private static let maximumSize = 8 << 10
    /// The maximum octets that `--keep` saves.
    private static let maximumFile = 16 << 20

    private(set) var lines: [String] = []
    /// The first line that shows that it does not reach a message bus, or BlueZ there.
    private(set) var busTrouble: String?
    private var mentionsBus = false
    private var cutter = LineCutter(longest: maximumLine)
    private var size = 0
    private var saved = 0

    /// The last line that is not blank.
    var last: String? { lines.last { !$0.allSatisfy(\.isWhitespace) } }

    /// Takes a chunk; returns the lines that it completes.
    mutating func take(_ octets: ArraySlice<UInt8>) -> [String] { cutter.take(octets).map { keep($0) } }

    /// The rest without a line feed; nil when there is none.
    mutating func finish() -> String? {
        let rest = cutter.finish()
        return rest.isEmpty ? nil : keep(rest)
    }

    /// The part of a chunk that is saved.
    mutating func saving(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let part = octets.prefix(Self.maximumFile - saved)
        saved += part.count
        return part
    }

    /// Notes a line about a bus that is not there. A missing file is one only if the lines before have named D-Bus.
    private mutating func noteBus(_ line: String) {
        guard busTrouble == nil else { return }
        if BusTrouble.isCertain(in: line) || mentionsBus && BusTrouble.isMissingFile(in: line) { busTrouble = line }
        mentionsBus = mentionsBus || BusTrouble.isMentioned(in: line)
    }

    private mutating func keep(_ octets: [UInt8]) -> String {
        let line = String(decoding: octets, as: UTF8.self)
        noteBus(line)
        lines.append(line)
        size += line.utf8.count
        while lines.count > Self.maximumLines || size > Self.maximumSize { size -= lines.removeFirst().utf8.count }
        return line
    }
}
