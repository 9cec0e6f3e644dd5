package import DBus

extension BluetoothService {
    /// The message bus of a service.
    package struct Bus: Sendable {
        /// Connects to it.
        let connect: @Sendable () async throws(ConnectionFailure) -> Connection
        /// Ends it, or begins it again.
        let turn: @Sendable (_ isOn: Bool) async -> Void

        package init(
            connect: @escaping @Sendable () async throws(ConnectionFailure) -> Connection,
            turn: @escaping @Sendable (_ isOn: Bool) async -> Void
        ) {
            (self.connect, self.turn) = (connect, turn)
        }
    }
}
