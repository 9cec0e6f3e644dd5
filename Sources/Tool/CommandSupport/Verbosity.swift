package import Arguments

/// How much is said beside the results.
package enum Verbosity: Comparable, Sendable {
    /// Nothing but what went wrong.
    case quiet
    /// What somebody wants to know who does not look for a fault.
    case normal
    /// Everything that happens, and every packet.
    case verbose

    package init(_ invocation: Invocation) throws(CommandFailure) {
        switch (invocation.has("--quiet"), invocation.has("--verbose")) {
        case (true, true): throw CommandFailure(.usage, "--quiet and --verbose exclude each other")
        case (true, false): self = .quiet
        case (false, true): self = .verbose
        case (false, false): self = .normal
        }
    }
}
