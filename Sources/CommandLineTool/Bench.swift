import Arguments
import Documents
import Glibc
import Octets
import Scenarios
import Simulation
import Spelling
import VirtualWorld

let benchGrammar = Arguments.Grammar(
    "bench", "measure what this machine can play", options: [.flag("--json", "print a JSON object for each row")])

/// A row of the table: a scenario played once in virtual time, and what it cost.
private struct Row {
    let name: String
    let scenario: String
    let duration: Duration
}

/// The heart of a row's strap and how often it is sent.
private func strap(_ heart: String) -> String {
    """
    {"lubdub": 1, "name": "Bench", "devices": [{"id": "strap", "name": "Bench", "address": "C0:FF:EE:00:00:01/random",
    "advertise": {"interval": "100 ms", "services": ["180D"]}, "services": [{"service": "heart_rate", \(heart)}]}]}
    """
}

private let rows = [
    Row(
        name: "one hour of a resting strap",
        scenario: strap(
            "\"contact\": true, \"energy\": true, \"rr_intervals\": true, \"period\": \"1 s\", \"value\": 62"),
        duration: .seconds(3600)),
    Row(
        name: "one hour of an idle link", scenario: strap("\"period\": \"1 day\", \"value\": 62"),
        duration: .seconds(3600)),
    Row(
        name: "200 notifications a second for ten minutes", scenario: strap("\"period\": \"5 ms\", \"value\": 300"),
        duration: .seconds(600)),
]

func bench(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let isJSON = invocation.has("--json")
    for row in rows {
        let reading = ScenarioFile.read("bench.json") { _ in Array(row.scenario.utf8) }
        guard var scenario = reading.scenario, reading.problems.isEmpty else {
            throw CommandFailure(.inner, reading.problems.map(\.description).joined(separator: "\n"))
        }
        scenario.limit = row.duration
        var rehearsal = try Rehearsal(Played(scenario, seed: 1))
        let began = cpuNanoseconds()
        rehearsal.play { _, _ in }
        let spent = cpuNanoseconds() - began
        let (count, left) = (rehearsal.measurements, rehearsal.world.pool.taken)
        let each = count > 0 ? "\(spent / Int64(count)) ns each" : "no measurements"
        if isJSON {
            let perItem = count > 0 ? "\(Double(spent) / Double(count) / 1000)" : "null"
            Console.print(
                "{\"name\": \(row.name.quoted), \"value\": \(Double(spent) / 1e9), \"unit\": \"s\", "
                    + "\"count\": \(count), \"cpu_us_per_item\": \(perItem)}")
        } else {
            Console.print(
                "\(row.name): \(Double(spent / 1000) / 1000) ms of CPU, \(count) measurements, \(each), \(left) packets on their way"
            )
        }
    }
    return .success
}

/// The CPU time that this process has taken.
private func cpuNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
