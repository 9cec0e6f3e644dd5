import Basics
import BlueZNames
import Bluetooth
import DBus
import GATT
import LEHost

// GATT procedures, one at a time.
extension CentralSession {
    /// The ATT transaction timeout (30 s) and some time for bluetoothd. Core 6.0, Vol 3, Part F, section 3.3.3.
    private static let requestTimeout = Duration.seconds(35)
    /// Discovery consists of many requests.
    private static let discoveryTimeout = Duration.seconds(60)
    /// How long to wait for more services after one was added.
    static let pauseAfterAddition = Duration.milliseconds(200)
    /// How long to wait after a service was removed, because others are discovered first.
    static let pauseAfterRemoval = Duration.seconds(3)

    func perform(_ procedure: Procedure, _ number: UInt32, of id: ConnectionID) {
        guard let link, link.id == id, !link.isEnding else {
            return emit(.finished(id, id: number, .failure(.disconnected)))
        }
        self.link?.waiting.append((number, procedure))
        startNextProcedure()
    }

    private func startNextProcedure() {
        guard let link, link.current == nil, let next = link.waiting.first else { return }
        self.link?.waiting.removeFirst()
        self.link?.current = next.number
        _ = loop.start { await self.run(next.procedure, next.number, over: link) }
    }

    private func run(_ procedure: Procedure, _ number: UInt32, over link: Link) async {
        let result: Result<Procedure.Outcome, Procedure.Failure>
        do throws(Procedure.Failure) { result = .success(try await outcome(of: procedure, over: link)) } catch {
            result = .failure(error)
        }
        // Otherwise the end of the connection has finished it.
        guard self.link?.id == link.id, self.link?.current == number else { return }
        self.link?.current = nil
        emit(.finished(link.id, id: number, result))
        startNextProcedure()
    }

    private func outcome(
        of procedure: Procedure, over link: Link
    ) async throws(Procedure.Failure) -> Procedure.Outcome {
        switch procedure {
        case .discoverEverything: return .services(try await discover(link))
        case .read(let handle), .readLong(let handle): return .value(try await read(handle, link))
        case .write(let handle, let value), .writeLong(let handle, let value):
            try await write(handle, value, as: "request", link)
        case .writeCommand(let handle, let value): try await write(handle, value, as: "command", link)
        case .configure(let handle, let configuration): try await configure(handle, configuration, link)
        case .exchangeMTU: throw .unavailable("bluetoothd exchanges the MTU itself")
        default: throw .unavailable("bluetoothd does not offer this procedure")
        }
        return .written
    }

    /// The location of an attribute, if bluetoothd shows it.
    private func location(
        of handle: UInt16, _ link: Link
    ) throws(Procedure.Failure) -> RemoteAttributes.AttributeLocation {
        guard let location = link.attributes.location(of: handle) else {
            throw .unavailable("bluetoothd shows no attribute with handle \(handle)")
        }
        return location
    }

    // MARK: Discovery

    /// Whether bluetoothd knows all attributes of the peer and none of them is changing.
    var isSettled: Bool {
        guard let link else { return false }
        return link.change == nil && devices[link.path]?.isResolved == true
    }

    func resumeDiscovery(_ failure: Procedure.Failure?) { link?.discovery.take()?.resume(returning: failure) }

    private func discover(_ link: Link) async throws(Procedure.Failure) -> [DiscoveredService] {
        guard self.link?.id == link.id else { throw .disconnected }
        if !isSettled {
            let end = loop.call(at: loop.now.advanced(by: Self.discoveryTimeout)) { [weak self] in
                self?.assumeIsolated { if $0.link?.id == link.id { $0.resumeDiscovery(.bearerLost) } }
            }
            let failure = await withCheckedContinuation { self.link?.discovery = $0 }
            end.cancel()
            if let failure { throw failure }
        }
        let found: RemoteAttributes
        do {
            found = try RemoteAttributes(try await Objects.all(connection, within: limit).all, of: link.path)
        } catch is RemoteAttributes.TooMany {
            throw .tooMuch
        } catch { throw .unavailable("bluetoothd: \(error)") }
        guard self.link?.id == link.id else { throw .disconnected }
        self.link?.attributes = found
        self.link?.isDiscovered = true
        return found.services
    }

    /// Notes that services are added or removed, and reports it when there was no further change for `pause`.
    func attributesChanged(_ path: ObjectPath, for pause: Duration) {
        guard let link, link.isDiscovered || link.change != nil, path.isBelow(link.path) else { return }
        link.change?.cancel()
        self.link?.change = loop.call(at: loop.now.advanced(by: pause)) { [weak self] in
            self?.assumeIsolated { host in
                guard host.link?.id == link.id else { return }
                host.link?.change = nil
                if host.link?.discovery == nil { return host.emit(.attributesChanged(link.id)) }
                if host.isSettled { host.resumeDiscovery(nil) }
            }
        }
    }

    // MARK: Values

    /// Reads a whole value. Right before its reply, bluetoothd reports the value that was read as a change: that one is
    /// not a notification.
    private func read(_ handle: UInt16, _ link: Link) async throws(Procedure.Failure) -> [UInt8] {
        let location = try location(of: handle, link)
        let call = Call(
            .bluez, location.path, location.interface, "ReadValue", [.options([])], reply: "ay",
            within: Self.requestTimeout)
        self.link?.reading = (handle, nil)
        let result = await withCheckedContinuation { continuation in
            self.call(call) { host, result in
                if host.link?.id == link.id { host.didRead(result) }
                continuation.resume(returning: result)
            }
        }
        do throws(CallFailure) { return try result.get().first?.octets ?? [] } catch {
            throw error.procedureFailure(for: handle)
        }
    }

    private func didRead(_ result: Result<[Value], CallFailure>) {
        guard let reading = link?.reading else { return }
        link?.reading = nil
        guard let received = reading.received else { return }
        if case .success(let values) = result, values.first?.octets == received { return }
        receive(reading.handle, received)
    }

    func valueChanged(_ path: ObjectPath, _ value: [UInt8]) {
        guard let link, let handle = link.attributes.handle(ofValueAt: path), link.subscribed.contains(handle) else {
            return
        }
        guard link.reading?.handle == handle else { return receive(handle, value) }
        if let earlier = link.reading?.received { receive(handle, earlier) }
        self.link?.reading?.received = value
    }

    private func receive(_ handle: UInt16, _ value: [UInt8]) {
        guard let link, let characteristic = link.attributes.characteristic(ofValue: handle) else { return }
        onEvent(.received(link.id, handle: handle, value, isIndicated: !characteristic.properties.contains(.notify)))
    }

    private func write(
        _ handle: UInt16, _ value: [UInt8], as type: String, _ link: Link
    ) async throws(Procedure.Failure) {
        guard value.count <= AttributeTable.maximumValueLength else { throw .valueTooLong(value.count) }
        guard link.attributes.characteristic(ofConfiguration: handle) == nil else {
            throw .unavailable(
                "bluetoothd does not allow writing a Client Characteristic Configuration; subscribe instead")
        }
        let location = try location(of: handle, link)
        var options: [(name: String, value: Value)] = []
        if location.interface == .gattCharacteristic { options.append(("type", .string(type))) }
        try await call(location.path, location.interface, "WriteValue", [.octets(value), .options(options)], handle)
    }

    /// Subscribes or unsubscribes: bluetoothd writes the configuration, and prefers notifications to indications.
    private func configure(
        _ handle: UInt16, _ configuration: ClientConfiguration, _ link: Link
    ) async throws(Procedure.Failure) {
        guard let characteristic = link.attributes.characteristic(ofConfiguration: handle) else {
            throw .unavailable("bluetoothd shows no Client Characteristic Configuration with handle \(handle)")
        }
        let offered: ClientConfiguration = characteristic.properties.contains(.notify) ? .notification : .indication
        guard configuration.isEmpty || configuration == offered else {
            throw .unavailable("bluetoothd subscribes to indications only if the characteristic has no notifications")
        }
        let value = characteristic.valueHandle
        let path = try location(of: value, link).path
        guard !configuration.isEmpty else {
            try await call(path, .gattCharacteristic, "StopNotify", [], handle)
            self.link?.subscribed.remove(value)
            return
        }
        self.link?.subscribed.insert(value)
        do throws(Procedure.Failure) {
            try await call(path, .gattCharacteristic, "StartNotify", [], handle)
        } catch {
            self.link?.subscribed.remove(value)
            throw error
        }
    }

    private func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value], _ handle: UInt16
    ) async throws(Procedure.Failure) {
        let call = Call(.bluez, path, interface, member, arguments, within: Self.requestTimeout)
        do throws(CallFailure) { _ = try await connection.call(call) } catch {
            throw error.procedureFailure(for: handle)
        }
    }
}
