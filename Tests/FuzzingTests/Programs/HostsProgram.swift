import FuzzDriver
import Fuzzing

@main enum Program {
    static func main() { fuzz([.server, .client, .host, .controller, .pairing, .pairings]) }
}
