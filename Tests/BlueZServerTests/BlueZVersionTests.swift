import BlueZNames
import DBus
import SystemBluetooth
import Testing

@testable import BlueZServer

/// The first versions of properties are those of the tags in BlueZ's repository.
@Suite struct BlueZVersionTests {
    private static func names(_ interface: ServedInterface, _ version: String) throws -> Set<String> {
        Set(interface.of(try #require(BlueZVersion(version))).properties.map(\.name))
    }

    @Test func `A version has the properties that it had, and no later ones`() throws {
        let rows: [(ServedInterface, added: [String], from: String, to: String)] = [
            (.adapter, ["ExperimentalFeatures"], "5.60", "5.66"),
            (.adapter, ["Connectable", "PowerState", "Manufacturer", "Version"], "5.66", "5.85"),
            (.device, ["Bonded"], "5.60", "5.66"),
            (.device, ["CablePairing", "Sets", "PreferredBearer"], "5.66", "5.85"),
            (.service, [], "5.55", "5.66"), (.service, ["Handle"], "5.66", "5.85"),
            (.characteristic, ["MTU"], "5.60", "5.66"), (.characteristic, ["Handle"], "5.66", "5.85"),
            (.descriptor, ["Handle"], "5.66", "5.85"),
        ]
        for (interface, added, from, to) in rows {
            #expect(
                try Self.names(interface, to).subtracting(Self.names(interface, from)) == Set(added),
                "\(interface.name) from \(from) to \(to)")
        }
    }

    @Test func `A value of a property that the version does not have is left out`() throws {
        var server = ObjectServer(version: try #require(BlueZVersion("5.60")))
        server.register(.device, [("Bonded", .boolean(false)), ("Paired", .boolean(false))], at: "/a")
        #expect(server.value("Bonded", of: .device, at: "/a") == nil)
        #expect(server.value("Paired", of: .device, at: "/a") == .boolean(false))
        _ = server.takeSignals()
        server.set("Bonded", .boolean(true), of: .device, at: "/a")
        server.replace("Bonded", .boolean(true), of: .device, at: "/a")
        #expect(server.takeSignals().isEmpty)
        #expect(server.value("Bonded", of: .device, at: "/a") == nil)
    }

    @Test func `Errors of Connect have the texts of the version`() throws {
        let rows: [(String, failed: String, inProgress: ErrorName)] = [
            ("5.60", "Software caused connection abort", "org.bluez.Error.Failed"),
            ("5.66", "le-connection-abort-by-local", "org.bluez.Error.Failed"),
            ("5.85", "le-connection-abort-by-local", "org.bluez.Error.InProgress"),
        ]
        for (text, failed, inProgress) in rows {
            let version = try #require(BlueZVersion(text))
            #expect(MethodError(ofConnect: .timedOut, version).message == failed)
            #expect(MethodError(ofConnect: .inProgress, version).name == inProgress)
        }
    }

    @Test(arguments: ["5.54", "5.88", "5.066", "5.", "4.66", "5.8x", "", "5.66 "])
    func `Another version is refused`(text: String) {
        #expect(BlueZVersion(text) == nil)
    }
}
