import FuzzDriver
import Fuzzing

@main enum Program {
    static func main() { fuzz(Reader.files) }
}
