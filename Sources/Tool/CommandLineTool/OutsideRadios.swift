import CommandSupport
import HCI
import Simulation
import Sockets

/// Controllers outside that the devices of a world use, each one of its own, in the order of the scenario.
struct OutsideRadios {
    private struct Radio {
        let address: StreamAddress
        let connection: StreamConnection
        var framer = H4Framer()
        var isOpen = false
    }

    private var radios: [Radio] = []  // by device

    /// None at all.
    init() {}

    /// Those at these addresses; nothing goes to them or comes before `start`.
    init(at addresses: [StreamAddress], on loop: EventLoop) throws(SocketFailure) {
        for address in addresses {
            radios.append(Radio(address: address, connection: try StreamConnection(to: address, on: loop)))
        }
    }

    /// Begins to connect; `tell` hears what happens to the stream of a device.
    func start(_ tell: @escaping @Sendable (_ device: Int, StreamConnection.Event) -> Void) {
        for (device, radio) in radios.enumerated() { radio.connection.start { tell(device, $0) } }
    }

    var isEmpty: Bool { radios.isEmpty }
    var devices: Range<Int> { radios.indices }
    /// Whether packets can go to all of them.
    var areOpen: Bool { radios.allSatisfy(\.isOpen) }

    func address(of device: Int) -> StreamAddress { radios[device].address }

    mutating func opened(_ device: Int) { radios[device].isOpen = true }

    /// The packets that are whole with what has come, and why no more will ever be.
    mutating func packets(
        with octets: [UInt8], for device: Int
    ) -> (packets: [H4Framer.Framed], failure: H4Framer.Failure?) {
        radios[device].framer.append(octets)
        var packets: [H4Framer.Framed] = []
        do throws(H4Framer.Failure) {
            while let packet = try radios[device].framer.next() { packets.append(packet) }
            return (packets, nil)
        } catch { return (packets, error) }
    }

    func send(_ kind: PacketKind, _ octets: [UInt8], from device: Int) {
        radios[device].connection.send(H4Framer.octets(kind, octets))
    }

    mutating func close(_ device: Int) {
        radios[device].isOpen = false
        radios[device].connection.close()
    }

    mutating func close() { for device in devices { close(device) } }
}
