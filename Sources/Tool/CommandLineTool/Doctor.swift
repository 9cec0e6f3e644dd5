import Basics
import CommandSupport
import Linux

let doctorGrammar = CommandGrammar(
    "doctor", "Diagnose this machine's Bluetooth setup, and suggest fixes",
    options: [
        .option(
            "--radio", "RADIO",
            "Radio to test: virtual (default), bluez[:hci0[,hci1]] or hci:0[,1]. Exit status 0 if it works, else 3"),
        .flag(
            "--json",
            "Print one JSON object: {\"lubdub\": VERSION, \"findings\": [{\"subject\", \"level\": ok|hint|problem, \"code\", \"found\",\n\"mend\": command that fixes it, \"advice\"}], \"radios\": [{\"radio\", \"works\", \"says\": reason}], \"status\"}"
        ),
        colorOption,
    ])

func doctor(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let wanted = try WantedRadio(invocation.text("--radio") ?? "virtual")
    let paint = try Paint(invocation, for: Console.descriptor)
    if let obstacle = OwnProgram.obstacle(to: "doctor", needsSys: true) {
        throw Obstacle(.environment, obstacle)
    }
    let facts = try orFail { try MachineProbe.facts() }
    let report = DoctorReport(Diagnosis(facts, for: wanted))
    for line in invocation.has("--json") ? ["\(report.json)"] : report.lines(paint) { Console.print(line) }
    return report.code
}
