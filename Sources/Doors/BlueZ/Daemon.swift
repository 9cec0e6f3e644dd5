import BlueZNames
package import DBus

extension Connection {
    /// Asks the bus to start bluetoothd if possible; returns the owner of `org.bluez`, or nil if there is none.
    func askForBlueZ() async throws(CallFailure) -> String? {
        _ = try? await call(.bus("StartServiceByName", [.bluez, .uint32(0)], reply: "u"))
        do throws(CallFailure) {
            return try await call(.bus("GetNameOwner", [.bluez], reply: "s")).first?.string
        } catch {
            guard case .remote = error else { throw error }
            return nil
        }
    }
}

/// The state of bluetoothd.
package enum Daemon: Hashable, Sendable {
    /// The name `org.bluez` has no owner.
    case absent
    /// The bus does not permit calling it.
    case forbidden
    /// It does not reply, or not as bluetoothd does.
    case silent
    /// It replies: its adapters by name, and its process id if the bus knows it.
    case answering(process: UInt32?, adapters: [Adapter])

    /// Queries bluetoothd without starting or changing anything. To stop early, close the connection.
    package static func query(_ connection: Connection) async throws(CallFailure) -> Daemon {
        guard try await connection.call(.bus("NameHasOwner", [.bluez], reply: "b")).first?.boolean == true else {
            return .absent
        }
        let process = try? await connection.call(.bus("GetConnectionUnixProcessID", [.bluez], reply: "u")).first?
            .uint32
        do throws(CallFailure) {
            let adapters = try await Objects.all(connection, within: .seconds(25)).adapters
            return .answering(process: process, adapters: adapters)
        } catch {
            guard case .remote(let answer) = error else { return .silent }
            return answer.name == "org.freedesktop.DBus.Error.AccessDenied" ? .forbidden : .silent
        }
    }
}
