package import Basics
package import Sockets

/// The default port of controllers, rootcanal's, and the ports that are tried when it is in use.
package let customaryPorts = 6402...6411

/// Listens at the first customary port of this machine that is free.
package func listenAtCustomaryPort<Place>(
    _ listen: (StreamAddress) async throws -> Place
) async throws(Obstacle) -> Place {
    for port in customaryPorts {
        let address = StreamAddress.tcp(host: "127.0.0.1", port: UInt16(clamping: port))
        if let place = try? await listen(address) { return place }
    }
    throw Obstacle(
        .environment,
        "ports \(customaryPorts.lowerBound) to \(customaryPorts.upperBound) of 127.0.0.1 are in use: "
            + "choose another with --controller, for example tcp:127.0.0.1:0")
}
