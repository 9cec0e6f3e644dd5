import DBus
import Glibc
import Simulation
import Synchronization
import Testing

/// A folder or a socket of a test could not be made.
struct StreamFailure: Error {}

/// A message bus of a test's own, at a socket in a folder of its own, with no policy but that all is allowed.
final class PrivateBus: Sendable {
    static let isInstalled = Child.isInstalled("dbus-daemon")
    static let isMissing: Comment = "dbus-daemon is not installed: Tools/setup test"

    let folder: String
    let address: BusAddress
    private let daemon: Mutex<Child?>

    var socket: String { "\(folder)/bus" }

    init() throws {
        var name = "/tmp/lubdub-bus-XXXXXX".utf8CString
        guard
            unsafe name.withUnsafeMutableBufferPointer({ name in
                unsafe name.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
            })
        else { throw StreamFailure() }
        folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        address = .at("unix:path=\(folder)/bus")
        daemon = Mutex(nil)
        try write(
            """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
              <limit name="max_replies_per_connection">2000</limit>
            </busconfig>
            """, to: "\(folder)/configuration")
        try start()
    }

    deinit {
        stop()
        for name in ["bus", "configuration"] { unsafe unlink("\(folder)/\(name)") }
        unsafe rmdir(folder)
    }

    /// Returns when it listens.
    func start() throws {
        let child = try Child(["dbus-daemon", "--nofork", "--print-address", "--config-file=\(folder)/configuration"])
        daemon.withLock { $0 = child }
        let line = try child.line()
        #expect(line.hasPrefix("unix:path=\(folder)/bus"))
    }

    /// Returns when it has ended.
    func stop() { daemon.withLock { $0.take() }?.kill() }

    private func write(_ text: String, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(file) }
        let octets = Array(text.utf8)
        guard unsafe Glibc.write(file, octets, octets.count) == octets.count else { throw StreamFailure() }
    }
}

/// Plays a test with a private bus, on a loop of its own, for 30 s at most.
func onBus(_ body: @escaping @Sendable (PrivateBus, EventLoop) async throws -> Void) throws {
    let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
    try loop.run { try await loop.withTimeout(.seconds(30)) { try await body(bus, loop) } }
}

/// What handlers leave for the test.
final class Heard<Thing: Sendable>: Sendable {
    private let things = Mutex<[Thing]>([])
    var all: [Thing] { things.withLock { $0 } }
    func add(_ thing: Thing) { things.withLock { $0.append(thing) } }
}

extension EventLoop {
    /// Waits until `condition` holds; the test's own limit ends it.
    func until(_ condition: @escaping @Sendable () -> Bool) async throws {
        while !condition() { try await sleep(for: .milliseconds(1)) }
    }
}

/// The result of a call, or its failure.
func outcome(
    _ body: () async throws(CallFailure) -> [Value]
) async -> Result<[Value], CallFailure> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Result<[Value], CallFailure> {
    /// The name of the error that the other side answered with.
    var errorName: String? { if case .failure(.remote(let error)) = self { error.name } else { nil } }
}
