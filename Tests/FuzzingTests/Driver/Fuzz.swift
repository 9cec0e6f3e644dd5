import CFuzzer
import Glibc

/// Feeds octets that libFuzzer invents to one reader: `fuzz --READER`, then options of libFuzzer, folders and files.
@main enum Fuzz {
    /// The reader of the first argument: libFuzzer ignores options that begin with two hyphens.
    private static let reader = Reader.all.first { CommandLine.arguments.dropFirst().first == "--\($0.name)" }

    static func main() {
        guard reader != nil else {
            print("usage: fuzz --READER [OPTION…] [FOLDER | FILE…], with libFuzzer's options; the readers:")
            for reader in Reader.all { print("  \(reader.name): \(reader.summary)") }
            exit(2)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, readInput))
    }

    /// Aborts when something does not hold: then libFuzzer keeps the octets.
    static func read(_ octets: [UInt8]) -> CInt {
        do throws(Broken) { try reader?.read(octets) } catch {
            print("broken: \(error)")
            fflush(nil)
            abort()
        }
        return 0
    }
}

/// What libFuzzer calls; its own `main`, which is linked too, refers to this name.
@c(LLVMFuzzerTestOneInput)
func readInput(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzz.read(Array(UnsafeBufferPointer(start: octets, count: count)))
}
