package import Basics
import Devices
import Documents
import Linux
import ScenarioLanguage
package import ScenarioModel
import Services
import VirtualWorld

/// A line of a client under test: a JSON object as it is, or any other text as a JSON string.
package struct ClientLine: ClientReport, Equatable {
    private let octets: [UInt8]
    package let datum: Datum?
    package let isJSON: Bool
    package let isMeasurement: Bool
    /// Why a pattern that matches finds no value in it; nil if there is none, or if it does.
    let problem: String?

    /// Takes a line without its line feed; nil when it is blank.
    package init?(_ line: [UInt8], problem: String? = nil) {
        let spaces = Array(" \t\r".utf8)
        guard let first = line.firstIndex(where: { !spaces.contains($0) }),
            let last = line.lastIndex(where: { !spaces.contains($0) })
        else { return nil }
        octets = Array(line[first...last])
        let object = octets.first == UInt8(ascii: "{") ? Datum(json: octets) : nil
        isJSON = object != nil
        isMeasurement = Self.measured.contains { key in object?[key].map { $0 != .null } ?? false }
        self.problem = problem
        datum = object ?? .string(String(decoding: octets, as: UTF8.self))
    }

    /// The first keys of lines with a sensor value.
    private static let measured =
        ServiceRegistry.all.flatMap(\.characteristics).map(\.client).filter(\.isMeasurement).map(\.key) + [
            ClientLines.advertised.key
        ]

    package func write(to text: inout JSONText) {
        if isJSON {
            text.append(text: String(decoding: octets, as: UTF8.self))
        } else {
            text.append(quoted: String(decoding: octets, as: UTF8.self))
        }
    }
}
