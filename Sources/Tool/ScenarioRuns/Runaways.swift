package import Arguments
import CommandSupport
package import VirtualWorld

/// Says which rules of the script were cut off, and of which case's if it is one of several; a file that has such rules is
/// wrong, and how the command ends says so.
@discardableResult
package func complain(ofRunaways world: World, of id: String? = nil) -> ExitCode? {
    for rule in world.runaways {
        Console.warn("\(id.map { "\($0): " } ?? "")\(world.runawayWarning(for: rule))")
    }
    return world.runaways.isEmpty ? nil : .usage
}
