import Documents
import Glibc
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// Documents that are too large, too deep or too wrong are refused quickly, also in a debug build.
@Suite struct LimitTests {
    private static let most = 16 << 20
    /// In seconds of CPU time, with a sanitizer: work that is not linear takes hours.
    private static let longest = 100.0
    private static let head = Array(
        #"{"lubdub": 1, "name": "x", "devices": [{"id": "a", "services": [{"service": "battery"}]}]"#.utf8)

    static let files: [(name: String, octets: @Sendable () -> [UInt8], code: DiagnosticCode, lines: Int)] = [
        ("50 MB", { filled(head + Array(#", "note": ""#.utf8), "x", 50_000_000) }, .tooLarge, 1),
        ("nested arrays", { filled([], "[", most) }, .tooDeep, 1),
        ("nested objects", { filled([], #"{"a":"#, most) }, .tooDeep, 1),
        ("not UTF-8 in the last octet", { filled([0x22], "x", most - 1) + [0xFF] }, .notText, 1),
        ("one key again and again", { filled(head, #","a":1"#, most) }, .duplicateKey, 52),
        ("an escape that is none", { filled([0x22], "\\u12", 1 << 20) }, .syntax, 1),
        (
            "a string of 4 MB that should be a list",
            {
                filled(Array(#"{"lubdub": 1, "name": "x", "devices": ""#.utf8), "x", 4 << 20) + Array(#""}"#.utf8)
            }, .wrongType, 1
        ),
        (
            "many variables that do not exist, among a thousand that do",
            {
                let declared = (0..<1000).map { #""variable\#($0)": 1"# }.joined(separator: ",")
                let begin = head + Array(#", "variables": {\#(declared)}, "script": {"a": 1"#.utf8)
                return numbered(begin, 300_000) { #","key\#($0)": "${unknown_name\#($0)}""# } + [0x7D]
            }, .unknownVariable, 52
        ),
        (
            "many strings with the start of a variable, among many variables",
            {
                let begin = head + Array(#", "variables": {"a": 1"#.utf8)
                let declared = numbered(begin, 100_000) { #","variable\#($0)": 1"# }
                let script = declared + Array(#", "script": {"a": 1"#.utf8)
                return numbered(script, 100_000) { #","key\#($0)": "costs ${""# } + [0x7D]
            }, .unusedVariable, 52
        ),
    ]

    /// Octets that begin with `begin`, have `count` more members, and end an object.
    private static func numbered(_ begin: [UInt8], _ count: Int, _ member: (Int) -> String) -> [UInt8] {
        begin + Array((0..<count).map(member).joined().utf8) + Array("}".utf8)
    }

    /// A limit in octets.
    private static func filled(_ begin: [UInt8], _ piece: String, _ count: Int) -> [UInt8] {
        begin + Array(String(repeating: piece, count: (count - begin.count) / piece.utf8.count).utf8)
    }

    @Test(arguments: files.indices) func `A file that cannot be one is refused without expanding it`(index: Int) {
        let file = Self.files[index]
        let octets = file.octets()
        let begin = cpuTime()
        let problems = ScenarioFile.read("a") { _ in octets }.problems
        #expect(cpuTime() - begin < Self.longest, "\(file.name)")
        #expect(problems.contains { $0.code == file.code })
        #expect(problems.count == file.lines)
        #expect(problems.allSatisfy { $0.description.utf8.count < 2000 })
    }

    @Test func `A small file whose variables expand to a very large one is refused without expanding it`() {
        let values = Array(repeating: "60", count: 10_000).joined(separator: ",")
        let uses = Array(repeating: #"{"when": "1 s", "do": "set", "of": "heart_rate", "to": "${x}"}"#, count: 3000)
        let text = """
            {"lubdub": 1, "name": "x", "variables": {"x": {"curve": "list", "period": "1 s", "values": [\(values)]}},
            "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}],
            "script": [\(uses.joined(separator: ","))]}
            """
        let begin = cpuTime()
        let found = problems(("a", text))
        #expect(cpuTime() - begin < Self.longest)
        #expect(found.count == 1)
        #expect(found.first?.contains("LD0108: variables.x: expected a number") == true)
    }

    @Test func `Files that include very much in all are not all read`() {
        let inner = Array((#"{"lubdub": 1, "note": ""# + String(repeating: "x", count: 1 << 20) + #""}"#).utf8)
        let includes = Array(repeating: #""b""#, count: 500).joined(separator: ",")
        let outer = Array(scenario(rest: #", "include": [\#(includes)]"#).utf8)
        var reads = 0
        let found = ScenarioFile.read("a") { path in
            reads += 1
            return path == "a" ? outer : inner
        }
        #expect(reads == 17)
        let told = found.problems.map(\.description).filter { $0.contains("LD0112") }
        #expect(told.count == 1)
        #expect(told.first?.hasSuffix("include[15]: the included files exceed 16 MiB in total") == true)
    }

    @Test func `A csv file that is too large is refused, not truncated`() {
        let text = scenario().replacing(#""contact": true"#, with: #""value": {"curve": "csv", "file": "r.csv"}"#)
        let (head, end) = ("time,note,bpm\n0,", ",60")
        func found(_ size: Int) -> [String] {
            let note = String(repeating: "x", count: size - head.utf8.count - end.utf8.count)
            return problems(("a", text), ("r.csv", head + note + end))
        }
        #expect(found(Self.most) == [])
        let complaint = #"LD0112: devices[0].services[0].value.file: "r.csv" is larger than 16 MiB"#
        #expect(found(Self.most + 1).first?.contains(complaint) == true)
    }

    /// Of this thread, in seconds: what others do on the machine does not count.
    private func cpuTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `Fifty problems of a kind are listed, and the thousandth is the last`() {
        let rules = Array(repeating: #"{"when": "1 s", "do": "notfy", "of": "battery"}"#, count: 3000).joined(
            separator: ",\n")
        let found = problems(("a", scenario(script: rules)))
        #expect(found.count == 52)
        #expect(found.first?.hasPrefix("a:1:1: LD0118: there are 1000 problems or more") == true)
        #expect(found.dropFirst().dropLast().allSatisfy { $0.contains(#"LD0110: script["#) })
        #expect(found.last == "a:52:23: LD0110: and 950 more of this kind")
    }

    @Test func `Many rules, each after the next one, can fire or not`() throws {
        func script(_ last: String) -> String {
            (0..<5000).map {
                #"{"id": "r\#($0)", "when": {"event": "ended", "of": "r\#($0 + 1)"}, "do": "clear", "of": "strap"}"#
            }
            .joined(separator: ",\n") + #",{"id": "r5000", "when": \#(last), "do": "clear", "of": "strap"}"#
        }
        #expect(problems(("a", scenario(script: script(#""1 s""#)))) == [])
        let never = problems(("a", scenario(script: script(#"{"event": "ended", "of": "r0"}"#))))
        #expect(never == ["a:2:33: LD0136: script[0].when: 5001 rules wait for each other"])
    }
}
