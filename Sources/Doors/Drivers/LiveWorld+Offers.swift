package import Basics
import Sockets

/// Where external hosts find controllers of the world.
extension LiveWorld {
    /// Offers controllers at an address, and returns the address for clients.
    func offer(_ address: StreamAddress) throws(SocketFailure) -> StreamAddress {
        let listener = try StreamListener(at: address, on: loop) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.joined(H4Transport(connection), isKernel: false) }
        }
        listeners.append(listener)
        return listener.address
    }

    /// Offers controllers, and returns where external hosts find them: an address, or the name of an interface.
    package func offer(_ place: ControllerPlace) async throws(Obstacle) -> String {
        switch place {
        case .stream(let address): return try orFail { "\(try offer(address))" }
        case .kernel:
            let interface = try KernelInterface(on: loop)
            joined(H4Transport(interface), isKernel: true)
            return try await interface.name()
        }
    }

    /// Disconnects the external hosts, and removes the socket files.
    func stopOffering() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
        guests.close()
    }
}
