import Scenarios
import Services
import Spelling

/// A line that a client under test has printed: a JSON object as it is, or any other text as a JSON string.
struct ClientLine: JSONWritable, Equatable {
    private let octets: [UInt8]
    /// Whether it is a JSON object.
    let isJSON: Bool
    /// Whether it has a value that a sensor measured.
    let isMeasurement: Bool

    /// A line without its end; nil for one with nothing in it.
    init?(_ line: [UInt8]) {
        let spaces = Array(" \t\r".utf8)
        guard let first = line.firstIndex(where: { !spaces.contains($0) }),
            let last = line.lastIndex(where: { !spaces.contains($0) })
        else { return nil }
        octets = Array(line[first...last])
        let datum = octets.first == UInt8(ascii: "{") ? Datum(json: octets) : nil
        isJSON = datum != nil
        isMeasurement = Self.measured.contains { key in datum?[key].map { $0 != .null } ?? false }
    }

    /// The first keys of lines with a value that a sensor measured.
    private static let measured =
        ServiceRegistry.all.flatMap(\.characteristics).map(\.client).filter(\.isMeasurement).map(\.key)

    func write(to text: inout JSONText) {
        if isJSON {
            text.append(text: String(decoding: octets, as: UTF8.self))
        } else {
            text.append(quoted: String(decoding: octets, as: UTF8.self))
        }
    }
}

/// The lines that a client prints, whatever it prints.
///
/// Of a line that is too long the beginning is kept, and of lines that are not JSON so many octets: a client that prints
/// without end fills neither the memory nor a log.
struct ClientOutput {
    /// The octets of a line, without its end.
    static let longestLine = 64 << 10
    /// The octets of all lines that are not JSON.
    static let mostText = 1 << 20

    private var cutter = LineCutter(longest: Self.longestLine)
    private var text = 0  // octets that are not JSON
    /// How many lines that are not JSON were left out.
    private(set) var leftOut = 0

    /// The lines that are complete with what has come.
    mutating func take(_ octets: ArraySlice<UInt8>) -> [ClientLine] { cutter.take(octets).compactMap { keep($0) } }

    /// The line that is left without an end; nil when there is none.
    mutating func finish() -> ClientLine? { keep(cutter.finish()) }

    private mutating func keep(_ octets: [UInt8]) -> ClientLine? {
        guard let line = ClientLine(octets) else { return nil }
        guard !line.isJSON else { return line }
        text += octets.count
        guard text <= Self.mostText else {
            leftOut += 1
            return nil
        }
        return line
    }
}
