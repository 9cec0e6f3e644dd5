package import Basics
package import DBus
import Glibc
import Synchronization

/// A folder or a socket of a test could not be made.
package struct StreamFailure: Error {
    /// One of either.
    package init() {}
}

/// A message bus for a test.
package protocol TestedBus: Sendable {
    /// Where it is.
    var address: BusAddress { get }
    /// Where its socket is.
    var socket: String { get }
}

/// A private message bus for a test, at a socket in its own folder, with a policy that allows everything.
package final class PrivateBus: TestedBus {
    /// Whether there can be one here.
    package static let isInstalled = Child.isInstalled("dbus-daemon")
    /// Why there is none.
    package static let isMissing = "dbus-daemon is not installed: Tools/setup test"

    /// For the test; removed with it.
    package let folder: String
    /// Where it is.
    package let address: BusAddress
    private let daemon: Mutex<Child?>

    /// Where its socket is.
    package var socket: String { "\(folder)/bus" }

    /// Starts it.
    package init() throws {
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
    package func start() throws {
        let child = try Child(["dbus-daemon", "--nofork", "--print-address", "--config-file=\(folder)/configuration"])
        daemon.withLock { $0 = child }
        let line = try child.line()
        guard line.hasPrefix("unix:path=\(folder)/bus") else { throw ChildFailure(what: "it listens at \(line)") }
    }

    /// Returns when it has ended.
    package func stop() { daemon.withLock { $0.take() }?.kill() }

    private func write(_ text: String, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(file) }
        let octets = Array(text.utf8)
        guard unsafe Glibc.write(file, octets, octets.count) == octets.count else { throw StreamFailure() }
    }
}

/// Runs a test with a private bus on its own loop, for at most 30 s.
package func onBus(_ body: @escaping @Sendable (PrivateBus, EventLoop) async throws -> Void) throws {
    let (bus, loop) = (try PrivateBus(), EventLoop(pace: .real()))
    try loop.run { try await loop.withTimeout(.seconds(30)) { try await body(bus, loop) } }
}

/// Records what handlers received.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    /// Everything, in order.
    package var all: [Element] { elements.withLock { $0 } }
    /// None yet.
    package init() {}

    /// Adds one.
    package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension EventLoop {
    /// Waits until `condition` holds; the test's own limit ends it.
    package func until(_ condition: @escaping @Sendable () -> Bool) async throws {
        while !condition() { try await sleep(for: .milliseconds(1)) }
    }
}

/// The result of a call, or its failure.
package func outcome(
    _ body: () async throws(CallFailure) -> [Value]
) async -> Result<[Value], CallFailure> {
    do { return .success(try await body()) } catch { return .failure(error) }
}

extension Result<[Value], CallFailure> {
    /// The name of the error that the other side answered with.
    package var errorName: String? { if case .failure(.remote(let error)) = self { error.name } else { nil } }
}
