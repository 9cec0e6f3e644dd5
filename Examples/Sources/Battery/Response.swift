import Basics
import GATT

/// The server's response to an ATT request; nil for a command.
public func response(to request: [UInt8], from battery: inout Battery) throws -> [UInt8]? {
    var pool = PacketPool()
    var server = Server(receives: 247)  // one per connection
    var outputs: [Server.Output] = []
    server.receive(
        pool.take(request), table: try Battery.table(), values: &battery, at: .start, pool: &pool, into: &outputs)
    for case .send(let packet) in outputs {
        defer { pool.release(packet) }
        return pool.octets(of: packet)
    }
    return nil
}
