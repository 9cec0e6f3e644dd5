import FuzzDriver
import Fuzzing

@main enum Program {
    static func main() { fuzz([.message, .names, .objects, .calls, .bus]) }
}
