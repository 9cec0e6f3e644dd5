import Basics
import Testing

@testable import Cases

/// The lines made from a client's output.
@Suite struct ClientLineTests {
    @Test(
        arguments: [
            (#"{"heart_rate": {"bpm": 62}}"#, #"{"heart_rate": {"bpm": 62}}"#, true),
            (" \t{\"steps\": 1}\r", #"{"steps": 1}"#, true),
            (#"{"steps_today": 1}"#, nil, true), (#"{"feed": 1999}"#, nil, true),
            (#"{"measurements": {"samples": 476, "lost": 0, "bpm": 61}}"#, nil, true),
            (#"{"heart_rate": null}"#, #"{"heart_rate": null}"#, false),
            (#"{"state": "scanning", "peer": "C0:FF:EE:00:00:01/random"}"#, nil, false),
            (#"{"heart_rate": }"#, #""{\"heart_rate\": }""#, false),
            ("62", #""62""#, false),
            ("[1]", #""[1]""#, false),
            ("Traceback", #""Traceback""#, false),
        ] as [(String, String?, Bool)])
    func `An object stays as it is, and all else is a string`(
        text: String, logged: String?, isMeasurement: Bool
    ) throws {
        let line = try #require(ClientLine(Array(text.utf8)))
        #expect(line.json == logged ?? text)
        #expect(line.isMeasurement == isMeasurement)
    }

    @Test(arguments: ["", " ", "\r"]) func `An empty line is none`(text: String) {
        #expect(ClientLine(Array(text.utf8)) == nil)
    }

    @Test func `Octets that are not UTF-8 are replaced`() throws {
        let line = try #require(ClientLine([0xFF, 0x61, 0]))
        #expect(line.json.hasPrefix("\"\u{FFFD}a"))
        #expect(!line.json.contains("\0"))
    }

    @Test(arguments: [1, 2, 7, 1000]) func `Lines are cut, in any portions`(size: Int) {
        let octets = Array("{\"steps\": 1}\n\nmore\r\n{\"steps\": 2}".utf8)
        var output = ClientOutput()
        var lines: [String] = []
        for start in stride(from: 0, to: octets.count, by: size) {
            lines += output.take(octets[start..<min(start + size, octets.count)]).map(\.json)
        }
        #expect(lines == [#"{"steps": 1}"#, #""more""#])
        #expect(output.finish()?.json == #"{"steps": 2}"#)
        #expect(output.finish() == nil)
    }

    @Test func `Of a line without end the beginning is kept`() throws {
        var output = ClientOutput()
        let portion = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        for _ in 0..<10 { #expect(output.take(portion[...]).isEmpty) }
        let lines = output.take(Array("\n{\"steps\": 3}\n".utf8)[...])
        #expect(lines.map(\.json.utf8.count) == [ClientOutput.maximumLine + 2, 12])
    }

    @Test func `Text is kept up to the limit, and objects after it too`() {
        var output = ClientOutput()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: ClientOutput.maximumLine) + Array("\n".utf8)
        var kept = 0
        for _ in 0..<20 { kept += output.take(line[...]).count }
        #expect(kept == ClientOutput.maximumText / ClientOutput.maximumLine)
        #expect(output.leftOut == 20 - kept)
        #expect(output.take(Array("{}\n".utf8)[...]).map(\.json) == ["{}"])
    }
}
