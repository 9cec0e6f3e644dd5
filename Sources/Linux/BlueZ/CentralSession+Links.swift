import Bluetooth
import DBus
import GATT
import HCI
import LEHost
import Simulation

// Connections, from the wish for one to its end.
extension CentralSession {
    /// A connection that is wanted.
    struct Attempt {
        let number: Int
        let path: ObjectPath
        let address: DeviceAddress
        /// When it is given up.
        var end: EventLoop.Appointment?
    }

    /// A connection that is there.
    struct Link {
        let id: ConnectionID
        let path: ObjectPath
        let address: DeviceAddress
        /// Whether somebody else has it, too: then it is not ended.
        let isBorrowed: Bool
        var attributes = RemoteAttributes()
        /// Values that are subscribed to, or are about to be.
        var subscribed: Set<UInt16> = []
        /// The value that is being read, and the last that was heard of it meanwhile.
        var reading: (handle: UInt16, heard: [UInt8]?)?
        /// What is asked now, and what is to be asked behind it.
        var current: UInt32?
        var waiting: [(number: UInt32, procedure: Procedure)] = []
        /// Until when the attributes may still change.
        var change: EventLoop.Appointment?
        var isDiscovered = false
        /// Waits until the attributes are known.
        var discovery: CheckedContinuation<Procedure.Failure?, Never>?
        var isEnding = false
        /// Why it ends, where bluetoothd tells.
        var reason: HCIStatus?
    }

    /// bluetoothd itself gives up earlier.
    private static let longestCall = Duration.seconds(60)

    func connect(to address: DeviceAddress, within patience: Duration?) {
        guard isStarted, attempt == nil, link == nil else { return say(.connectionFailed(address, .notNow)) }
        guard let device = devices.values.first(where: { $0.address == address }) else {
            return say(.connectionFailed(address, .outside("bluetoothd does not know it any more")))
        }
        counts.attempts += 1
        let number = counts.attempts
        attempt = Attempt(number: number, path: device.path, address: address)
        enqueue { $0.askToConnect(number, within: patience) }
    }

    /// Comes when discovery has ended, as not every controller connects while it scans.
    private func askToConnect(_ number: Int, within patience: Duration?) {
        guard var attempt, attempt.number == number else { return }
        if devices[attempt.path]?.isConnected == true {
            let isBorrowed = !ours.contains(attempt.path)
            guard isBorrowed, !definition.sharesDevices else { return connected(isBorrowed: isBorrowed) }
            return giveUp(number, .outside("another program of this machine is connected to it"))
        }
        attempt.end = patience.map { patience in
            loop.call(at: loop.now.advanced(by: patience)) { [weak self] in
                self?.assumeIsolated { $0.giveUp(number, .timedOut) }
            }
        }
        self.attempt = attempt
        ours.insert(attempt.path)
        meet(attempt.path)
        ask(Call(.bluez, attempt.path, .device, "Connect", within: Self.longestCall)) { host, result in
            host.answered(number, result)
        }
    }

    /// Asks without waiting; the answer is told in its place among the signals.
    func ask(
        _ call: Call, then: @escaping @Sendable (isolated CentralSession, Result<[Value], CallFailure>) -> Void
    ) {
        connection.assumeIsolated { connection in
            do throws(CallFailure) {
                _ = try connection.ask(call) { [weak self] result in self?.assumeIsolated { then($0, result) } }
            } catch {
                let failure = error
                loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { then($0, .failure(failure)) } }
            }
        }
    }

    private func answered(_ number: Int, _ result: Result<[Value], CallFailure>) {
        guard let attempt, attempt.number == number else { return }
        switch result {
        case .failure(.remote(let error)) where error.name != "org.bluez.Error.AlreadyConnected":
            giveUp(number, .outside("bluetoothd: \(error)"))
        case .failure(.remote), .success:
            // That it is connected may be told behind the answer.
            loop.call(at: loop.now.advanced(by: Self.patience)) { [weak self] in
                self?.assumeIsolated { $0.giveUp(number, .outside("bluetoothd says so, but there is none")) }
            }
        case .failure(let failure): giveUp(number, .outside("bluetoothd: \(failure)"))
        }
    }

    /// Wants a connection no more, and has bluetoothd give it up, too.
    func giveUp(_ number: Int, _ failure: Host.ConnectionFailure) {
        guard let attempt, attempt.number == number else { return }
        attempt.end?.cancel()
        self.attempt = nil
        enqueue { host in
            guard host.ours.contains(attempt.path), host.link?.path != attempt.path else { return }
            await host.quietly(attempt.path, .device, "Disconnect")
            if host.devices[attempt.path]?.isConnected != true { host.ours.remove(attempt.path) }
        }
        say(.connectionFailed(attempt.address, failure))
    }

    /// Notes that a device is connected, or is not any more, or has told all of its attributes.
    func follow(_ device: RemoteDevice) {
        if device.isConnected {
            if attempt?.path == device.path, ours.contains(device.path) { connected(isBorrowed: false) }
        } else if link?.path == device.path {
            ours.remove(device.path)
            linkEnded(nil)
        }
        if link?.path == device.path, isSettled { settled(nil) }
    }

    private func connected(isBorrowed: Bool) {
        guard let attempt else { return }
        attempt.end?.cancel()
        self.attempt = nil
        counts.connections += 1
        let id = ConnectionID(number: counts.connections)
        link = Link(id: id, path: attempt.path, address: attempt.address, isBorrowed: isBorrowed)
        let unknown = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
        say(.connected(id, ConnectionComplete(handle: 0, role: .central, peer: attempt.address, timing: unknown)))
    }

    // MARK: The end

    func disconnect(_ id: ConnectionID) {
        guard let link, link.id == id, !link.isEnding else { return }
        self.link?.isEnding = true
        guard !link.isBorrowed else { return linkEnded(.localHostTerminated) }
        enqueue { host in
            await host.quietly(link.path, .device, "Disconnect")
            host.loop.call(at: host.loop.now.advanced(by: Self.patience)) { [weak host] in
                host?.assumeIsolated { host in
                    if host.link?.id == id { host.linkEnded(.localHostTerminated) }
                }
            }
        }
    }

    /// BlueZ 5.82 and later tell why, before they tell that.  `doc/org.bluez.Device.rst`, `Disconnected`.
    func noteReason(_ path: ObjectPath, _ arguments: [Value]) {
        let reasons: [String: HCIStatus] = [
            "org.bluez.Reason.Timeout": .connectionTimeout, "org.bluez.Reason.Local": .localHostTerminated,
            "org.bluez.Reason.Remote": .remoteUserTerminated,
            "org.bluez.Reason.Authentication": .authenticationFailure,
        ]
        guard link?.path == path, let reason = arguments.first?.string.flatMap({ reasons[$0] }) else { return }
        link?.reason = reason
    }

    /// Ends all that belongs to the connection; bluetoothd would subscribe by itself in the next one, so it is told not to.
    func linkEnded(_ reason: HCIStatus?) {
        guard let link else { return }
        self.link = nil
        link.change?.cancel()
        link.discovery?.resume(returning: .disconnected)
        for number in [link.current].compactMap(\.self) + link.waiting.map(\.number) {
            say(.finished(link.id, id: number, .failure(.disconnected)))
        }
        for path in link.subscribed.sorted().compactMap({ link.attributes.place(of: $0)?.path }) {
            enqueue { await $0.quietly(path, .gattCharacteristic, "StopNotify") }
        }
        let known = reason ?? link.reason ?? (link.isEnding ? .localHostTerminated : .unspecified)
        say(.disconnected(link.id, link.address, reason: known))
    }
}
