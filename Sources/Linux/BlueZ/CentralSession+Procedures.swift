import Bluetooth
import DBus
import GATT
import LEHost
import Simulation

// What is asked of a peer's server, one thing after the other.
extension CentralSession {
    /// As long as a server has for an answer by ATT, and bluetoothd to tell of it.  Core 6.0, Vol 3, Part F,
    /// section 3.3.3.
    private static let answerLimit = Duration.seconds(35)
    /// How long discovery may take, which is many requests.
    private static let discoveryLimit = Duration.seconds(60)
    /// After a service has been added others may follow.
    static let pause = Duration.milliseconds(200)
    /// After a service has been removed others are discovered first.
    static let longPause = Duration.seconds(3)

    func ask(_ procedure: Procedure, _ number: UInt32, of id: ConnectionID) {
        guard let link, link.id == id, !link.isEnding else {
            return say(.finished(id, id: number, .failure(.disconnected)))
        }
        self.link?.waiting.append((number, procedure))
        askNext()
    }

    private func askNext() {
        guard let link, link.current == nil, let next = link.waiting.first else { return }
        self.link?.waiting.removeFirst()
        self.link?.current = next.number
        _ = loop.start { await self.play(next.procedure, next.number, over: link) }
    }

    private func play(_ procedure: Procedure, _ number: UInt32, over link: Link) async {
        let result: Result<Procedure.Outcome, Procedure.Failure>
        do throws(Procedure.Failure) { result = .success(try await outcome(of: procedure, over: link)) } catch {
            result = .failure(error)
        }
        // Else its end has been told with the connection's.
        guard self.link?.id == link.id, self.link?.current == number else { return }
        self.link?.current = nil
        say(.finished(link.id, id: number, result))
        askNext()
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
        case .exchangeMTU: throw .unavailable("bluetoothd exchanges the MTU by itself")
        default: throw .unavailable("bluetoothd does not ask that for others")
        }
        return .written
    }

    /// Where an attribute is; those that bluetoothd does not show cannot be asked for.
    private func place(of handle: UInt16, _ link: Link) throws(Procedure.Failure) -> RemoteAttributes.Place {
        guard let place = link.attributes.place(of: handle) else {
            throw .unavailable("bluetoothd shows no attribute with handle \(handle)")
        }
        return place
    }

    // MARK: Discovery

    /// Whether nothing is known to change in what bluetoothd shows of the peer.
    var isSettled: Bool {
        guard let link else { return false }
        return link.change == nil && devices[link.path]?.isResolved == true
    }

    /// Has whoever waits for the attributes go on.
    func settled(_ failure: Procedure.Failure?) { link?.discovery.take()?.resume(returning: failure) }

    private func discover(_ link: Link) async throws(Procedure.Failure) -> [DiscoveredService] {
        if !isSettled {
            let end = loop.call(at: loop.now.advanced(by: Self.discoveryLimit)) { [weak self] in
                self?.assumeIsolated { if $0.link?.id == link.id { $0.settled(.bearerLost) } }
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

    /// Notes that services come or go, and tells it when nothing more has for a while.
    func attributesChanged(_ path: ObjectPath, for pause: Duration) {
        guard let link, link.isDiscovered || link.change != nil, path.isBelow(link.path) else { return }
        link.change?.cancel()
        self.link?.change = loop.call(at: loop.now.advanced(by: pause)) { [weak self] in
            self?.assumeIsolated { host in
                guard host.link?.id == link.id else { return }
                host.link?.change = nil
                if host.link?.discovery == nil { return host.say(.attributesChanged(link.id)) }
                if host.isSettled { host.settled(nil) }
            }
        }
    }

    // MARK: Values

    /// Reads all of a value.  bluetoothd shows what was read as a change of the value, too, right before it answers: that
    /// one is no notification.
    private func read(_ handle: UInt16, _ link: Link) async throws(Procedure.Failure) -> [UInt8] {
        let place = try place(of: handle, link)
        let call = Call(
            .bluez, place.path, place.interface, "ReadValue", [.options([])], answer: "ay", within: Self.answerLimit)
        self.link?.reading = (handle, nil)
        let result = await withCheckedContinuation { continuation in
            ask(call) { host, result in
                if host.link?.id == link.id { host.hasRead(result) }
                continuation.resume(returning: result)
            }
        }
        do throws(CallFailure) { return try result.get().first?.octets ?? [] } catch {
            throw error.procedureFailure(for: handle)
        }
    }

    private func hasRead(_ result: Result<[Value], CallFailure>) {
        guard let reading = link?.reading else { return }
        link?.reading = nil
        guard let heard = reading.heard else { return }
        if case .success(let values) = result, values.first?.octets == heard { return }
        hear(reading.handle, heard)
    }

    func valueChanged(_ path: ObjectPath, _ value: [UInt8]) {
        guard let link, let handle = link.attributes.handle(ofValueAt: path), link.subscribed.contains(handle) else {
            return
        }
        guard link.reading?.handle == handle else { return hear(handle, value) }
        if let earlier = link.reading?.heard { hear(handle, earlier) }
        self.link?.reading?.heard = value
    }

    private func hear(_ handle: UInt16, _ value: [UInt8]) {
        guard let link, let characteristic = link.attributes.characteristic(ofValue: handle) else { return }
        hear(handle, value, link.id, isIndicated: !characteristic.properties.contains(.notify))
    }

    private func write(
        _ handle: UInt16, _ value: [UInt8], as type: String, _ link: Link
    ) async throws(Procedure.Failure) {
        guard value.count <= AttributeTable.longestValue else { throw .valueTooLong(value.count) }
        guard link.attributes.characteristic(ofConfiguration: handle) == nil else {
            throw .unavailable("bluetoothd lets nobody write a configuration")
        }
        let place = try place(of: handle, link)
        var options: [(name: String, value: Value)] = []
        if place.interface == .gattCharacteristic { options.append(("type", .string(type))) }
        try await ask(place.path, place.interface, "WriteValue", [.octets(value), .options(options)], handle)
    }

    /// Subscribes, or ends that: bluetoothd writes the configuration, and chooses notifications where there are any.
    private func configure(
        _ handle: UInt16, _ configuration: ClientConfiguration, _ link: Link
    ) async throws(Procedure.Failure) {
        guard let characteristic = link.attributes.characteristic(ofConfiguration: handle) else {
            throw .unavailable("bluetoothd shows no configuration with handle \(handle)")
        }
        let offered: ClientConfiguration = characteristic.properties.contains(.notify) ? .notification : .indication
        guard configuration.isEmpty || configuration == offered else {
            throw .unavailable("bluetoothd subscribes to notifications, and to indications where there are no others")
        }
        let value = characteristic.valueHandle
        let path = try place(of: value, link).path
        guard !configuration.isEmpty else {
            try await ask(path, .gattCharacteristic, "StopNotify", [], handle)
            self.link?.subscribed.remove(value)
            return
        }
        self.link?.subscribed.insert(value)
        do throws(Procedure.Failure) {
            try await ask(path, .gattCharacteristic, "StartNotify", [], handle)
        } catch {
            self.link?.subscribed.remove(value)
            throw error
        }
    }

    private func ask(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value], _ handle: UInt16
    ) async throws(Procedure.Failure) {
        let call = Call(.bluez, path, interface, member, arguments, within: Self.answerLimit)
        do throws(CallFailure) { _ = try await connection.call(call) } catch {
            throw error.procedureFailure(for: handle)
        }
    }
}
