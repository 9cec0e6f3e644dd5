package import Basics
import Linux

/// Throws if a file exists that the command would replace without `--force`.
package func checkReplacement(of path: String, _ invocation: Invocation) throws(Obstacle) {
    guard invocation.has("--force") || !exists(path) else {
        throw Obstacle(.usage, "\(path.quoted) exists: choose another name, or add --force to replace it")
    }
}
