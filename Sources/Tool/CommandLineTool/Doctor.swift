import Arguments
import CommandSupport
import Doctor

let doctorGrammar = Arguments.Grammar(
    "doctor", "say what works on this machine, and the command that mends what does not",
    options: [
        .option(
            "--radio", "RADIO",
            "what is needed: virtual (default) or bluez[:hci0[,hci1]]; the exit status is 0 if it works, else 3"),
        .flag(
            "--json",
            "print one JSON object instead: {\"lubdub\": VERSION, \"findings\": [{\"subject\", \"level\": ok|hint|problem,\n\"code\", \"found\", \"mend\": COMMAND, \"advice\"}], \"radios\": [{\"radio\", \"works\", \"says\"}], \"status\"}"
        ),
        colorOption,
    ])

func doctor(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let wanted = try WantedRadio(invocation.text("--radio") ?? "virtual")
    let paint = try Paint(invocation, for: Console.descriptor)
    let facts = try orFail { try MachineProbe.facts() }
    let report = DoctorReport(Diagnosis(facts), wanted)
    for line in invocation.has("--json") ? [report.json] : report.lines(paint) { Console.print(line) }
    return report.code
}
