package import Basics
import CClientTime
import Glibc

/// The library `liblubdubtime.so`, which replaces the clocks and waits of the programs that load it.
package struct ClientTimeLibrary: Sendable {
    private static let name = "liblubdubtime.so"
    private static let variable = "LUBDUB_TIME_LIBRARY"

    let path: String

    /// The library at a path, which must have neither a space nor a colon.
    package init(path: String) { self.path = path }

    /// The library next to this program, or where it is installed.
    package init() throws(Obstacle) {
        let own = splitPath(OwnProgram.path).folder
        let installed = "\(splitPath(own).folder)/lib/lubdub"
        guard let place = ["\(own)/\(Self.name)", "\(installed)/\(Self.name)"].first(where: exists) else {
            throw Obstacle(
                .environment,
                "virtual time for a client needs \(Self.name), which is neither in \(own.quoted) nor in "
                    + "\(installed.quoted): build it with Tools/client-time-library \(own)")
        }
        guard !place.contains(where: { $0 == " " || $0 == ":" }) else {
            throw Obstacle(
                .environment,
                "\(place.quoted) cannot be preloaded, because its path has a space or a colon: move the program")
        }
        path = place
    }

    /// The variable for a supervisor, which passes `preloading` to its client.
    var setting: (name: String, value: String) { (Self.variable, path) }

    /// The variable by which programs that this process starts load the library; nil if they are in real time.
    ///
    /// The library comes last: sanitizers have to be first.
    package static var preloading: (name: String, value: String)? {
        guard let path = value(of: variable) else { return nil }
        return ("LD_PRELOAD", [value(of: "LD_PRELOAD"), path].compactMap(\.self).joined(separator: " "))
    }

    private static func value(of variable: String) -> String? {
        unsafe getenv(variable).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Lets the programs that this process starts have the same addresses each time, where that is allowed: some mix
    /// addresses into their random numbers.
    package static func fixAddresses() { _ = client_time_fix_addresses() }
}
