package import Basics
package import Clients
import LEHost
package import Linux

/// Runs the built-in client above a central host, at the pace of an event loop.
package actor ClientDriver: LoopActor {
    package nonisolated let loop: EventLoop
    private var client: BuiltInClient
    private var host: (any LiveCentralHost)?
    private var isSettling = false
    private var hasFailed = false
    private var whenIdle: (@Sendable () -> Void)?
    private let report: @Sendable (SensorCollector.Update) -> Void
    private let fail: @Sendable (String) -> Void

    /// Calls `report` with each update of the client, and `fail` once when the host becomes unusable; both on the
    /// loop's thread.
    package init(
        _ settings: SensorCollector.Settings, on loop: EventLoop,
        report: @escaping @Sendable (SensorCollector.Update) -> Void, fail: @escaping @Sendable (String) -> Void
    ) {
        (client, self.loop, self.report, self.fail) = (BuiltInClient(settings), loop, report, fail)
    }

    /// Opens a host and starts the client; `open` receives the function that the host must notify.
    package func start(
        above open:
            @Sendable (_ notify: @escaping @Sendable () -> Void) async throws(Obstacle)
            -> sending any LiveCentralHost
    ) async throws(Obstacle) {
        host = try await open { [weak self] in self?.assumeIsolated { $0.settle() } }
        client.start(at: loop.now)
        settle()
    }

    /// Why the client has not connected to a device yet; nil if it has, or need not.
    package var missing: String? { host?.silence ?? client.missing }

    /// Ends the connection, then releases the radio. Waits for an unresponsive host at most its `disconnectTimeout`, or
    /// until a signal.
    package func close(_ signals: Signals) async {
        let completion = RunCompletion()
        if !hasFailed { whenIdle = { completion.finish(.time) } }
        client.stop(at: loop.now)
        settle()
        if whenIdle != nil {
            _ = await completion.wait(signals, on: loop, for: host?.disconnectTimeout, watchesReader: false)
        }
        if let problem = await host?.close() { Notices.warn("\(problem)") }
    }

    private func settle() {
        guard !isSettling, var host else { return }
        isSettling = true
        exchange(with: &host)
        isSettling = false
        if let failure = host.failure, !hasFailed {
            hasFailed = true
            fail(failure)
        }
        guard client.isIdle || hasFailed, let whenIdle else { return }
        self.whenIdle = nil
        whenIdle()
    }

    private func exchange(with host: inout some LiveCentralHost) {
        client.settle(with: &host, at: loop.now) { event, _ in
            switch event {
            case .wake(let due): loop.call(at: due) { [weak self] in self?.assumeIsolated { $0.timePassed() } }
            case .update(let update): report(update)
            }
        }
    }

    private func timePassed() {
        client.timePassed(at: loop.now)
        settle()
    }
}

extension ClientDriver {
    /// Starts a client above the radio of `--radio`.
    package static func start(
        _ settings: SensorCollector.Settings, above radio: RadioChoice, security: ClientSecurity = ClientSecurity(),
        on loop: EventLoop, report: @escaping @Sendable (SensorCollector.Update) -> Void,
        fail: @escaping @Sendable (String) -> Void
    ) async throws(Obstacle) -> ClientDriver {
        switch radio {
        case .controller(let address):
            let driver = ClientDriver(settings, on: loop, report: report, fail: fail)
            try await driver.start { notify throws(Obstacle) in
                try HCICentralHost(above: address, on: loop, security: security, notify: notify)
            }
            return driver
        case .bluez(let adapter):
            let driver = ClientDriver(settings.aboveBlueZ, on: loop, report: report, fail: fail)
            let services = settings.choice == .strongest ? settings.services : []
            try await driver.start { notify throws(Obstacle) in
                let bus = try await BlueZCentralHost.Bus(on: loop, notify: notify)
                return BlueZCentralHost(adapter, services: services, sharesDevices: true, over: bus, on: loop)
            }
            return driver
        }
    }
}
