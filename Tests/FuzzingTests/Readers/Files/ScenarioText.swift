import Basics
import CommandSupport
import Documents
import Fuzzing
import Linux
import ScenarioLanguage
import ScenarioModel

/// Reads a scenario and all that it names: every csv file has the same values, every other file is the scenario.
func readScenario(_ octets: [UInt8]) throws(Broken) {
    let table = Array("t,ecg\n0,0.1\n0.5,-0.2\n1,0.3\n".utf8)
    let load = { (path: String) in path.hasSuffix(".csv") ? table : path == "a.json" ? octets : nil }
    let reading = ScenarioFile.read("a.json", load: load)
    let lines = octets.count { $0 == 0x0A } + 1
    for problem in reading.problems {
        let place = problem.position
        try require(place >= Position() && place.line <= lines, "\(problem) is in no line")
        try require(!problem.message.isEmpty && !problem.description.contains("\n"), "\(problem) is not one line")
    }
    guard reading.problems.isEmpty, let scenario = reading.scenario else { return }
    guard let node = ScenarioFile.flattened("a.json", naming: { $0 }, load: load) else {
        throw Broken(description: "the scenario cannot be written as one file")
    }
    let text = Array(node.indentedJSON.utf8)
    let again = ScenarioFile.read("a.json") { $0 == "a.json" ? text : load($0) }
    try require(again.problems.isEmpty, "as one file, it has the problem \(again.problems)")
    try require(again.scenario == scenario, "as one file, it is \(node.json)")
}

/// Reads lines of the control socket about a scenario with several devices.
func readInstructions(_ octets: [UInt8]) throws(Broken) {
    guard let reader = played else { throw Broken(description: "there is no scenario") }
    var lines = LineFramer(longest: 1 << 16)
    lines.append(octets)
    let now = Instant.start.advanced(by: .seconds(10))
    while let line = (try? lines.next()) ?? nil {
        guard let instruction = try? reader.read(line, at: now), case .act(let rule) = instruction else { continue }
        guard let text = rule.line else { throw Broken(description: "an action has no line") }
        try require((try? reader.read(text.utf8, at: now)) == instruction, "\(text) is another action")
    }
}

private let played: InstructionReader? = {
    let services = ["heart_rate", "battery", "ecg", "fitness", "feed", "measurements", "thermometer"].map {
        #"{"service": "\#($0)"}"#
    }
    let text = """
        {"lubdub": 1, "name": "two", "devices": [
         {"id": "strap", "services": [\(services.joined(separator: ", "))]}, {"id": "other"}],
         "script": [{"id": "away", "when": "5 s", "do": "silence", "of": "strap", "for": "2 s"}]}
        """
    return ScenarioFile.read("played.json") { _ in Array(text.utf8) }.scenario.map(InstructionReader.init)
}()
