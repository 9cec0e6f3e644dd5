package import Basics

/// How much a command prints in addition to its results.
package enum Verbosity: Comparable, Sendable {
    /// Errors only.
    case quiet
    /// Main events.
    case normal
    /// Every event and every packet.
    case verbose

    package init(_ invocation: Invocation) throws(Obstacle) {
        switch (invocation.has("--quiet"), invocation.has("--verbose")) {
        case (true, true): throw Obstacle(.usage, "--quiet and --verbose are mutually exclusive")
        case (true, false): self = .quiet
        case (false, true): self = .verbose
        case (false, false): self = .normal
        }
    }
}
