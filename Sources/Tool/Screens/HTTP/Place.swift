import Basics
import Glibc

/// One of the places for connections, which a connection has taken.
final class Place {
    private let socket: CInt
    var time: ConnectionTime

    init(of socket: CInt, at now: Instant) { (self.socket, time) = (socket, ConnectionTime(at: now)) }

    /// Lets libmicrohttpd find out that the connection has ended, and close it.
    func end() { _ = shutdown(socket, CInt(SHUT_RDWR)) }
}
