package import Basics
import Glibc
package import Sockets
import Synchronization

/// Where an external host finds a virtual controller.
package enum ControllerPlace: Hashable, Sendable {
    /// An H4 stream; each connection has its own controller.
    case stream(StreamAddress)
    /// An interface of this machine's kernel, such as `hci1`.
    case kernel

    /// Reads `tcp:HOST:PORT`, `unix:PATH` or `vhci`.
    package init(_ text: String) throws(Obstacle) {
        guard text != "vhci" else {
            self = .kernel
            return
        }
        let hint = StreamAddress.resembles(text) ? "" : ", or vhci"
        self = .stream(try orFail(.usage, hint: hint) { try StreamAddress(text) })
    }
}

/// A Bluetooth interface of this machine's kernel, which is the host above one of the virtual controllers.
///
/// Each read and write of `/dev/vhci` is one H4 packet.  Its vendor packets create an interface, and report its number:
/// Linux, `drivers/bluetooth/hci_vhci.c`.  Closing the file removes the interface.
final class KernelInterface: OctetStream {
    private static let path = "/dev/vhci"
    private static let vendorPacket: UInt8 = 0xFF
    private static let primaryController: UInt8 = 0x00
    private static let timeout = Duration.seconds(5)

    private let loop: EventLoop
    private let packets: PacketDescriptor
    private let names: AsyncStream<String>
    private let nameReported: AsyncStream<String>.Continuation

    /// Creates an interface.
    ///
    /// - Throws: `Obstacle` if the kernel refuses.
    init(on loop: EventLoop) throws(Obstacle) {
        let descriptor = unsafe open(Self.path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            let fix =
                code == ENOENT ? "load its module with: sudo modprobe hci_vhci" : "run as root: sudo lubdub ..."
            throw Obstacle(
                .environment,
                "cannot open \(Self.path.quoted): \(unsafe String(cString: strerror(code))) (\(fix))")
        }
        (names, nameReported) = AsyncStream.makeStream(of: String.self)
        self.loop = loop
        packets = PacketDescriptor(descriptor, on: loop)
        let request = [Self.vendorPacket, Self.primaryController]
        guard unsafe write(descriptor, request, request.count) == request.count else {
            let code = errno
            throw Obstacle(
                .environment,
                "\(Self.path.quoted) created no interface: \(unsafe String(cString: strerror(code)))")
        }
    }

    /// Calls `handler` with all further packets of the kernel.
    func start(_ handler: @escaping StreamConnection.Handler) {
        packets.start { [nameReported] event in
            guard case .received(let packet) = event, packet.first == Self.vendorPacket else { return handler(event) }
            guard packet.count >= 4 else { return }
            nameReported.yield("hci\(UInt16(packet[2]) | UInt16(packet[3]) << 8)")
        }
    }

    /// The name of the interface, `hci1`.  Call `start` first.
    func name() async throws(Obstacle) -> String {
        let name: String?
        do {
            name = try await loop.withTimeout(Self.timeout) { [names] in
                for await name in names { return name }
                return nil
            }
        } catch { name = nil }
        if let name { return name }
        throw Obstacle(.environment, "the kernel created no Bluetooth interface within 5 s")
    }

    func send(_ packet: [UInt8]) { packets.send(packet) }

    var queued: Int { packets.queued }

    /// Removes the interface; no event follows.
    func close() { packets.close() }
}
