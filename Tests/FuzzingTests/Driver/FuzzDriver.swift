import CFuzzer
package import Fuzzing
import Glibc

/// Feeds octets that libFuzzer invents to one reader: `PROGRAM --READER`, then options of libFuzzer, folders and files.
package func fuzz(_ readers: [Reader]) -> Never {
    // libFuzzer ignores options that begin with two hyphens.
    guard let chosen = readers.first(where: { CommandLine.arguments.dropFirst().first == "--\($0.name)" }) else {
        print("usage: --READER [OPTION…] [FOLDER | FILE…], with libFuzzer's options; the readers:")
        for reader in readers { print("  \(reader.name): \(reader.summary)") }
        exit(2)
    }
    unsafe reader = chosen
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, readInput))
}

/// Set once, before libFuzzer runs.
nonisolated(unsafe) private var reader: Reader?

/// Aborts when something does not hold: then libFuzzer keeps the octets.  libFuzzer's own `main`, which is linked too,
/// refers to this name.
@c(LLVMFuzzerTestOneInput)
func readInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(Broken) {
        try unsafe reader?.read(Array(UnsafeBufferPointer(start: octets, count: count)))
    } catch {
        print("broken: \(error)")
        fflush(nil)
        abort()
    }
    return 0
}
