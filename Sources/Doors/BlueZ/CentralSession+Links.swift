import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import HCI
import LEHost

// Connections.
extension CentralSession {
    /// A connection being established.
    struct Attempt {
        let number: Int
        let path: ObjectPath
        let address: DeviceAddress
        var end: EventLoop.ScheduledCall?
    }

    /// A connection.
    struct Link {
        let id: ConnectionID
        let path: ObjectPath
        let address: DeviceAddress
        /// Whether another program has the connection too: then it is not ended.
        let isBorrowed: Bool
        var attributes = RemoteAttributes()
        /// Handles of values with a subscription or a pending one.
        var subscribed: Set<UInt16> = []
        /// The value being read, and the last change of it received meanwhile.
        var reading: (handle: UInt16, received: [UInt8]?)?
        /// The current procedure and those after it.
        var current: UInt32?
        var waiting: [(number: UInt32, procedure: Procedure)] = []
        /// The end of the time in which the attributes may still change.
        var change: EventLoop.ScheduledCall?
        var isDiscovered = false
        /// A discovery that waits until the attributes are known.
        var discovery: CheckedContinuation<Procedure.Failure?, Never>?
        var isEnding = false
        /// The reason of its end, if bluetoothd reports it.
        var reason: HCIStatus?
    }

    /// Longer than bluetoothd's own timeout.
    private static let connectTimeout = Duration.seconds(60)

    func connect(to address: DeviceAddress, within timeout: Duration?) {
        guard isStarted, attempt == nil, link == nil else { return emit(.connectionFailed(address, .notNow)) }
        guard let device = devices.values.first(where: { $0.address == address }) else {
            return emit(.connectionFailed(address, .outside("bluetoothd no longer knows the device")))
        }
        counts.attempts += 1
        let number = counts.attempts
        attempt = Attempt(number: number, path: device.path, address: address)
        enqueue { $0.requestConnection(number, within: timeout) }
    }

    /// Runs after discovery has ended, because not every controller can connect while it scans.
    private func requestConnection(_ number: Int, within timeout: Duration?) {
        guard var attempt, attempt.number == number else { return }
        if devices[attempt.path]?.isConnected == true {
            let isBorrowed = !ourConnections.contains(attempt.path)
            guard isBorrowed, !definition.sharesDevices else { return connected(isBorrowed: isBorrowed) }
            return giveUp(number, .outside("another program on this machine is connected to it"))
        }
        attempt.end = timeout.map { timeout in
            loop.call(at: loop.now.advanced(by: timeout)) { [weak self] in
                self?.assumeIsolated { $0.giveUp(number, .timedOut) }
            }
        }
        self.attempt = attempt
        ourConnections.insert(attempt.path)
        rememberForRemoval(attempt.path)
        call(Call(.bluez, attempt.path, .device, "Connect", within: Self.connectTimeout)) { host, result in
            host.connectReplied(number, result)
        }
    }

    /// Calls without waiting; `then` runs in the order of the reply among the signals.
    func call(
        _ call: Call, then: @escaping @Sendable (isolated CentralSession, Result<[Value], CallFailure>) -> Void
    ) {
        connection.assumeIsolated { connection in
            do throws(CallFailure) {
                _ = try connection.call(call) { [weak self] result in self?.assumeIsolated { then($0, result) } }
            } catch {
                let failure = error
                loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { then($0, .failure(failure)) } }
            }
        }
    }

    private func connectReplied(_ number: Int, _ result: Result<[Value], CallFailure>) {
        guard let attempt, attempt.number == number else { return }
        switch result {
        case .failure(.remote(let error)) where error.name != "org.bluez.Error.AlreadyConnected":
            giveUp(number, .outside("bluetoothd: \(error)"))
        case .failure(.remote), .success:
            // The signal that reports the connection may follow the reply.
            loop.call(at: loop.now.advanced(by: Self.retryTimeout)) { [weak self] in
                self?.assumeIsolated {
                    $0.giveUp(number, .outside("bluetoothd reported a connection that does not exist"))
                }
            }
        case .failure(let failure): giveUp(number, .outside("bluetoothd: \(failure)"))
        }
    }

    /// Gives up connecting, and cancels it at bluetoothd.
    func giveUp(_ number: Int, _ failure: Host.ConnectionFailure) {
        guard let attempt, attempt.number == number else { return }
        attempt.end?.cancel()
        self.attempt = nil
        enqueue { host in
            guard host.ourConnections.contains(attempt.path), host.link?.path != attempt.path else { return }
            await host.callIgnoringErrors(attempt.path, .device, "Disconnect")
            if host.devices[attempt.path]?.isConnected != true { host.ourConnections.remove(attempt.path) }
        }
        emit(.connectionFailed(attempt.address, failure))
    }

    /// Handles a device that connected, disconnected, or whose attributes are known.
    func deviceUpdated(_ device: RemoteDevice) {
        if device.isConnected {
            if attempt?.path == device.path, ourConnections.contains(device.path) { connected(isBorrowed: false) }
        } else if link?.path == device.path {
            ourConnections.remove(device.path)
            linkEnded(nil)
        }
        if link?.path == device.path, isSettled { resumeDiscovery(nil) }
    }

    private func connected(isBorrowed: Bool) {
        guard let attempt else { return }
        attempt.end?.cancel()
        self.attempt = nil
        counts.connections += 1
        let id = ConnectionID(number: counts.connections)
        link = Link(id: id, path: attempt.path, address: attempt.address, isBorrowed: isBorrowed)
        let unknown = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
        emit(.connected(id, ConnectionComplete(handle: 0, role: .central, peer: attempt.address, timing: unknown)))
    }

    // MARK: Disconnecting

    func disconnect(_ id: ConnectionID) {
        guard let link, link.id == id, !link.isEnding else { return }
        self.link?.isEnding = true
        guard !link.isBorrowed else { return linkEnded(.localHostTerminated) }
        enqueue { host in
            await host.callIgnoringErrors(link.path, .device, "Disconnect")
            host.loop.call(at: host.loop.now.advanced(by: Self.retryTimeout)) { [weak host] in
                host?.assumeIsolated { host in
                    if host.link?.id == id { host.linkEnded(.localHostTerminated) }
                }
            }
        }
    }

    /// BlueZ 5.82 and later report the reason before the disconnection. `doc/org.bluez.Device.rst`, `Disconnected`.
    func noteReason(_ path: ObjectPath, _ arguments: [Value]) {
        let reasons: [String: HCIStatus] = [
            "org.bluez.Reason.Timeout": .connectionTimeout, "org.bluez.Reason.Local": .localHostTerminated,
            "org.bluez.Reason.Remote": .remoteUserTerminated,
            "org.bluez.Reason.Authentication": .authenticationFailure,
        ]
        guard link?.path == path, let reason = arguments.first?.string.flatMap({ reasons[$0] }) else { return }
        link?.reason = reason
    }

    /// Ends everything that belongs to the connection, and unsubscribes: otherwise bluetoothd would subscribe again in
    /// the next connection.
    func linkEnded(_ reason: HCIStatus?) {
        guard let link else { return }
        self.link = nil
        link.change?.cancel()
        link.discovery?.resume(returning: .disconnected)
        for number in [link.current].compactMap(\.self) + link.waiting.map(\.number) {
            emit(.finished(link.id, id: number, .failure(.disconnected)))
        }
        for path in link.subscribed.sorted().compactMap({ link.attributes.location(of: $0)?.path }) {
            enqueue { await $0.callIgnoringErrors(path, .gattCharacteristic, "StopNotify") }
        }
        let known = reason ?? link.reason ?? (link.isEnding ? .localHostTerminated : .unspecified)
        emit(.disconnected(link.id, link.address, reason: known))
    }
}
