import Basics
import BlueZNames
import FoundationEssentials
import Fuzzing
import Glibc
import Synchronization

@testable import BlueZServer
@testable import DBus

extension Reader {
    static let bus = Reader("bus", "what a program sends to the message bus: the bus goes on to answer others") {
        octets throws(Broken) in
        try BusStage.shared.withLock { stage throws(Broken) in
            if stage == nil { stage = BusStage() }
            try stage?.play(octets)
        }
    }

    static let calls = Reader(
        "calls", "calls of the objects of bluetoothd, in a D-Bus message: they fit the interfaces"
    ) {
        octets throws(Broken) in
        guard let message = unmarshalled(octets), let member = message.member, let arguments = try? message.values()
        else { return }
        let server = servedObjects
        for path in [message.path, .root, "/org/bluez/hci0"].compactMap(\.self) {
            let call = ReceivedCall(
                path: path, interface: message.interface, member: member, signature: message.signature,
                arguments: arguments, sender: message.sender
            ) { _ in }
            switch server.action(for: call) {
            case .reply(let values):
                try require((try? values.checkedSignature()) != nil, "the reply to \(member) is not valid")
            case .fail: break
            case .call(let interface, let name):
                let method = described(interface)?.methods.first { $0.name == name }
                try require(method?.signature == message.signature, "\(name) is called with other types")
            case .set(let interface, let name, let value):
                let property = described(interface)?.properties.first { $0.name == name }
                try require(
                    property?.isWritable == true && property?.type == value.type.description,
                    "\(name) is set to a value of another type")
            }
        }
    }

    private static let interfaces: [ServedInterface] = [
        .adapter, .device, .agentManager, .service, .characteristic, .descriptor, .battery,
        .gattManager, .advertisingManager, .advertisementMonitorManager,
    ]

    private static func described(_ name: InterfaceName) -> ServedInterface? { interfaces.first { $0.name == name } }

    private static let servedObjects: ObjectServer = {
        var server = ObjectServer()
        server.register(.objectManager, at: .root)
        for interface in interfaces {
            server.register(
                interface, interface.properties.map { ($0.name, Value.string($0.type)) }, at: "/org/bluez/hci0")
        }
        _ = server.takeSignals()
        return server
    }()
}

private final class Answer: Sendable {
    let hasCome = Mutex(false)
}

/// A bus with a program that asks it whether it still answers.
private final class BusStage {
    static let shared = Mutex<BusStage?>(nil)

    private let path: String
    private let loop = EventLoop(pace: .real())
    private let bus: MessageBus
    private let witness: Connection

    init?() {
        path = FileManager.default.temporaryDirectory.appending(path: "lubdub-fuzz-\(getpid()).bus").path
        let address = BusAddress.at("unix:path=\(path)")
        guard let bus = try? MessageBus(at: address, on: loop) else { return nil }
        let opened = try? loop.run { [loop] in try await Connection.open(address, on: loop) }
        guard let opened else { return nil }
        (self.bus, witness) = (bus, opened)
    }

    /// Sends octets after a program's greeting, then closes the socket.
    func play(_ octets: [UInt8]) throws(Broken) {
        let program = connect()
        try require(program >= 0, "the bus takes no more programs")
        let user = "\(getuid())".utf8.map { "3" + String($0 - 48) }.joined()
        send(
            [0] + Array("AUTH EXTERNAL \(user)\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8) + Self.hello + octets,
            to: program)
        try requireAnswer()
        close(program)
        try requireAnswer()
    }

    /// The bus answers the other program.
    private func requireAnswer() throws(Broken) {
        let answer = Answer()
        let limit = loop.now.advanced(by: .seconds(10))
        let isAnswered = loop.withCurrentThread {
            _ = try? witness.assumeIsolated { connection in
                try connection.call(.bus("GetId", [], reply: "s")) { result in
                    answer.hasCome.withLock { $0 = (try? result.get()) != nil }
                }
            }
            while !answer.hasCome.withLock({ $0 }), loop.runNextEvents(until: limit) {}
            return answer.hasCome.withLock { $0 }
        }
        try require(isAnswered, "the bus does not answer")
    }

    private func connect() -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8.prefix(100))
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, size)
            }
        }
        return status == 0 ? descriptor : -1
    }

    private func send(_ octets: [UInt8], to descriptor: CInt) {
        _ = unsafe octets.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }

    /// The first call of a program: `Hello`.
    private static let hello: [UInt8] = {
        let digits = """
            6c01000100000000010000006d00000001016f00150000002f6f72672f667265656465736b746f702f44427573000000\
            02017300140000006f72672e667265656465736b746f702e4442757300000000030173000500000048656c6c6f000000\
            06017300140000006f72672e667265656465736b746f702e4442757300000000
            """.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }()
}
