package import Basics
package import Cases

extension PlayedSystem {
    /// Reads `--system`; nil without the option.
    package init?(_ invocation: Invocation) throws(Obstacle) {
        guard let text = invocation.text("--system") else { return nil }
        try self.init(text)
    }
}
