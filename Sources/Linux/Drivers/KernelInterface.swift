import Arguments
import CommandSupport
import Glibc
import Simulation
import Sockets
import Spelling
import Synchronization

/// Where a host outside finds a virtual controller.
enum ControllerPlace: Hashable, Sendable {
    /// A stream that speaks H4; each connection is a controller of its own.
    case stream(StreamAddress)
    /// Below Linux's own Bluetooth, as an interface such as `hci1`.
    case kernel

    /// Reads what `StreamAddress` does, or `vhci`.
    init(_ text: String) throws(StreamAddress.Unreadable) {
        self = text == "vhci" ? .kernel : .stream(try StreamAddress(text))
    }
}

/// An interface of Linux's own Bluetooth above one of our controllers: the kernel is the host.
///
/// `/dev/vhci` gives and takes one H4 packet at a time, and its vendor packets make an interface and tell its number:
/// Linux, `drivers/bluetooth/hci_vhci.c`.  The interface is gone when it is closed.
final class KernelInterface: Sendable {
    private static let path = "/dev/vhci"
    private static let vendorPacket: UInt8 = 0xFF
    private static let primaryController: UInt8 = 0x00
    private static let longestPacket = 1 << 12  // above HCI_MAX_FRAME_SIZE
    private static let patience = Duration.seconds(5)

    private struct State {
        var isOpen = true
        var watch: EventLoop.Watch?
        var handler: (@Sendable (StreamConnection.Event) -> Void)?
    }

    private let loop: EventLoop
    private let descriptor: CInt
    private let names: AsyncStream<String>
    private let told: AsyncStream<String>.Continuation
    private let state = Mutex(State())

    /// Asks the kernel for an interface.
    init(on loop: EventLoop) throws(CommandFailure) {
        descriptor = unsafe open(Self.path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        (names, told) = AsyncStream.makeStream(of: String.self)
        self.loop = loop
        guard descriptor >= 0 else {
            state.withLock { $0.isOpen = false }
            let mend =
                errno == ENOENT ? "load its module with: sudo modprobe hci_vhci" : "only root may do that, as with sudo"
            throw CommandFailure(
                .environment,
                "cannot open \(Self.path.quoted): \(unsafe String(cString: strerror(errno))) (\(mend))")
        }
        let wanted = [Self.vendorPacket, Self.primaryController]
        guard unsafe write(descriptor, wanted, wanted.count) == wanted.count else {
            throw CommandFailure(
                .environment,
                "\(Self.path.quoted) makes no interface: \(unsafe String(cString: strerror(errno)))")
        }
    }

    deinit { close() }

    /// Tells `handler` what the kernel's host sends, from now on.
    func start(_ handler: @escaping @Sendable (StreamConnection.Event) -> Void) {
        state.withLock { state in
            state.handler = handler
            state.watch = loop.watch(descriptor, for: .readable) { [weak self] in self?.read() }
        }
    }

    /// What the interface is called: `hci1`; it must have been started.
    func name() async throws(CommandFailure) -> String {
        let name: String?
        do {
            name = try await loop.withTimeout(Self.patience) { [names] in
                for await name in names { return name }
                return nil
            }
        } catch { name = nil }
        if let name { return name }
        throw CommandFailure(.environment, "the kernel made no Bluetooth interface within 5 s")
    }

    /// Gives the kernel one packet; nothing when it is closed.
    func send(_ packet: [UInt8]) {
        guard state.withLock({ $0.isOpen }) else { return }
        guard unsafe write(descriptor, packet, packet.count) < 0 else { return }
        let code = errno
        loop.call(at: loop.now) { [weak self] in self?.end(.failed(.broken(code: code))) }
    }

    /// Ends the interface and tells nothing more; again is no mistake.
    func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            (state.isOpen, state.handler) = (false, nil)
            if let watch = state.watch.take() { loop.cancel(watch) }
            Glibc.close(descriptor)
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.longestPacket)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return end(.failed(.broken(code: count < 0 ? errno : EIO)))
        }
        let packet = buffer[..<count]
        guard packet.first == Self.vendorPacket else {
            let handler = state.withLock { $0.handler }
            handler?(.received(Array(packet)))
            return
        }
        guard count >= 4 else { return }
        told.yield("hci\(UInt16(packet[2]) | UInt16(packet[3]) << 8)")
    }

    private func end(_ event: StreamConnection.Event) {
        let handler = state.withLock { $0.handler }
        close()
        handler?(event)
    }
}

/// How the octets of one host outside come and go.
enum HostLine: Sendable {
    case stream(StreamConnection)
    case kernel(KernelInterface)

    /// Whether its HCI Reset is the client's: the kernel says it before anybody asks for anything.
    var saysWhenToStart: Bool { if case .stream = self { true } else { false } }

    /// Tells `handler` what happens at this end.
    func start(_ handler: @escaping StreamConnection.Handler) {
        switch self {
        case .stream(let connection): connection.start(handler)
        case .kernel(let interface): interface.start(handler)
        }
    }

    /// Sends one H4 packet.
    func send(_ packet: [UInt8]) {
        switch self {
        case .stream(let connection): connection.send(packet)
        case .kernel(let interface): interface.send(packet)
        }
    }

    /// Ends it, and tells nothing more.
    func close() {
        switch self {
        case .stream(let connection): connection.close()
        case .kernel(let interface): interface.close()
        }
    }
}
