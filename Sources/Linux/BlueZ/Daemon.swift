public import DBus

extension Connection {
    /// Who has the name `org.bluez`, after the bus was asked to start who takes it; nil when nobody does.
    func askForBlueZ() async throws(CallFailure) -> String? {
        _ = try? await call(.bus("StartServiceByName", [.bluez, .uint32(0)], answer: "u"))
        do throws(CallFailure) {
            return try await call(.bus("GetNameOwner", [.bluez], answer: "s")).first?.string
        } catch {
            guard case .remote = error else { throw error }
            return nil
        }
    }
}

/// What bluetoothd says when it is asked without being started.
public enum Daemon: Hashable, Sendable {
    /// Nobody has the name `org.bluez`.
    case absent
    /// The bus does not let us speak to it.
    case forbidden
    /// It does not answer, or not as bluetoothd does.
    case silent
    /// The adapters that it knows, by name, and its process where the bus tells.
    case answering(process: UInt32?, adapters: [Adapter])

    /// Asks.  Nothing is started or changed; who has no time left closes the connection.
    public static func ask(_ connection: Connection) async throws(CallFailure) -> Daemon {
        guard try await connection.call(.bus("NameHasOwner", [.bluez], answer: "b")).first?.boolean == true else {
            return .absent
        }
        let process = try? await connection.call(.bus("GetConnectionUnixProcessID", [.bluez], answer: "u")).first?
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
