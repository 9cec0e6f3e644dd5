package import Basics
import Devices
import Linux
package import ScenarioModel
import Services
import VirtualWorld

/// A line of a client under test: a JSON object as it is, or any other text as a JSON string.
package struct ClientLine: ClientReport, Equatable {
    private let octets: [UInt8]
    package let datum: Datum?
    package let isJSON: Bool
    package let isMeasurement: Bool

    /// Takes a line without its line feed; nil when it is blank.
    package init?(_ line: [UInt8]) {
        let spaces = Array(" \t\r".utf8)
        guard let first = line.firstIndex(where: { !spaces.contains($0) }),
            let last = line.lastIndex(where: { !spaces.contains($0) })
        else { return nil }
        octets = Array(line[first...last])
        let object = octets.first == UInt8(ascii: "{") ? Datum(json: octets) : nil
        isJSON = object != nil
        isMeasurement = Self.measured.contains { key in object?[key].map { $0 != .null } ?? false }
        datum = object ?? .string(String(decoding: octets, as: UTF8.self))
    }

    /// The first keys of lines with a sensor value.
    private static let measured =
        ServiceRegistry.all.flatMap(\.characteristics).map(\.client).filter(\.isMeasurement).map(\.key)

    package func write(to text: inout JSONText) {
        if isJSON {
            text.append(text: String(decoding: octets, as: UTF8.self))
        } else {
            text.append(quoted: String(decoding: octets, as: UTF8.self))
        }
    }
}

/// Splits a client's output into lines.
///
/// Long lines are truncated, and lines that are not JSON are limited to 1 MiB in total: endless output fills neither
/// memory nor log.
package struct ClientOutput {
    /// The maximum octets of a line, without its line feed.
    package static let maximumLine = 64 << 10
    /// The maximum octets of all lines that are not JSON.
    package static let maximumText = 1 << 20

    private var cutter = LineCutter(longest: Self.maximumLine)
    private var text = 0  // octets of lines that are not JSON
    package private(set) var leftOut = 0

    /// The lines that `octets` complete.
    package mutating func take(_ octets: ArraySlice<UInt8>) -> [ClientLine] {
        cutter.take(octets).compactMap { keep($0) }
    }

    /// The rest without a line feed; nil when there is none.
    package mutating func finish() -> ClientLine? { keep(cutter.finish()) }

    private mutating func keep(_ octets: [UInt8]) -> ClientLine? {
        guard let line = ClientLine(octets) else { return nil }
        guard !line.isJSON else { return line }
        text += octets.count
        guard text <= Self.maximumText else {
            leftOut += 1
            return nil
        }
        return line
    }
}
