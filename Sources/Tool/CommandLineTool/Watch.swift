import Basics
import CommandSupport
import Linux

let watchOption = CommandGrammar.Option.flag(
    "--watch", "Run again whenever a scenario, or a file that it includes, changes; until Ctrl-C")

/// Runs the command line without `--watch`, whenever one of these files changes.
func watch(
    _ invocation: Invocation, reading files: @escaping () -> [String]
) throws(Obstacle) -> ExitCode {
    var words = OwnProgram.words
    if let place = words.firstIndex(of: "--watch") { words.remove(at: place) }
    let outputs = invocation.files.filter { $0.use != .read }.map(\.path)
    return try WatchedCommand(words, reading: files, writing: outputs).run()
}
