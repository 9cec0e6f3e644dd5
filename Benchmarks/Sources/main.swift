import Basics
import CommandSupport
import Glibc
import Linux

private let grammar = CommandGrammar(
    "benchmarks", "Benchmark Lubdub on this machine, against Bumble",
    operands: [
        .anyNumber("ROW", of: .words(BenchRow.all.map(\.word)), "Benchmarks to run (default: all)")
    ],
    options: [
        .flag("--json", "Print one JSON object per row"),
        .option(
            "--bumble", "PYTHON", of: .file(.read),
            "Python interpreter with Bumble installed (default .venv/bin/python, which \"make test\" creates)"),
        .flag("--alone", "Do not run Bumble"),
        .flag("--check", "Fail if a row is worse than \(ExpectedFigures.path) allows"),
    ], lists: [.init("Rows", BenchRow.all.map { ($0.word, $0.name) })])

private func measure(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let rows = try BenchRow.selected(by: invocation.operands)
    let isAlone = invocation.has("--alone")
    let bumble = isAlone ? nil : Bumble(invocation.text("--bumble"))
    let isJSON = invocation.has("--json")
    if bumble == nil, !isAlone {
        Console.warn(
            "Bumble is not installed, so nothing is compared: run make test, or name its Python with --bumble")
    }
    let expected = invocation.has("--check") ? try ExpectedFigures() : nil
    if !isJSON { Console.print("\(BenchTable.head)") }
    var code = ExitCode.success
    let bar = ProgressBar.ofSteps()
    defer { if bar != nil { ProgressBar.remove() } }
    for (index, row) in rows.enumerated() {
        bar?.show(Double(index) / Double(rows.count), "\(index + 1) of \(rows.count): \(row.word)")
        guard let result = try row.result(comparedWith: bumble) else {
            if !invocation.operands.isEmpty { Console.warn("\(row.word) needs Bumble, and was not measured") }
            continue
        }
        Console.print("\(isJSON ? result.json : BenchTable.line(result))")
        if let fault = result.figures.fault {
            Console.warn("\(row.name.quoted) is not valid: \(fault)")
            code = .failure
        }
        for fault in expected?.faults(of: result) ?? [] {
            Console.warn("\(row.name.quoted): \(fault)")
            code = .failure
        }
    }
    return code
}

private func run(_ words: [String]) -> ExitCode {
    do throws(Obstacle) {
        let invocation = try orFail { try grammar.parse(words) }
        guard !invocation.isHelpRequested else {
            Console.print(
                linesOf: grammar.usage(width: Console.columns(of: Console.descriptor) ?? 100))
            return .success
        }
        return try measure(invocation)
    } catch {
        for line in error.lines { Console.warn("\(line)") }
        return error.code
    }
}

Console.prepare()
exit(run(OwnProgram.words).status)
