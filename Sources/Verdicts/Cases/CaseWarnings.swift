package import Basics
package import VirtualWorld

/// Warns of a text, with the case's id if it is one of several.
func warn(_ text: String, of id: String?) {
    Notices.warn((id.map { "\($0): " } ?? "") + text)
}

/// Warns of the rules that were cut off, with the case's id if it is one of several. Returns the exit code for a
/// scenario with such rules, which is wrong; nil without any.
@discardableResult
package func warn(ofRunaways world: World, of id: String? = nil) -> ExitCode? {
    for rule in world.runaways { warn(world.runawayWarning(for: rule), of: id) }
    return world.runaways.isEmpty ? nil : .usage
}
