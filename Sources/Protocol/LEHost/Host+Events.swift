import Basics
import Bluetooth
import HCI
import SecurityManager

// Events of the controller.
extension Host {
    mutating func receiveEvent(
        _ packet: Packet, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        if let count = pool.countOfCompletedPackets(in: packet) {
            for index in 0..<count {
                if let completed = pool.completedPackets(index, in: packet) { sending.completed(completed) }
            }
            return pool.release(packet)
        }
        let octets = pool.octets(of: packet)
        pool.release(packet)
        do throws(Malformed) {
            try handle(try Event(octets: octets), at: now, pool: &pool, into: &outbox)
        } catch {
            report(MalformedPacket(.event, octets, error), into: &outbox)
        }
    }

    /// Reports a packet of the controller that cannot be read, up to `maximumMalformedReports` of them.
    mutating func report(_ malformed: MalformedPacket, into outbox: inout [Output]) {
        guard scanning.malformedReports < Self.maximumMalformedReports else { return }
        scanning.malformedReports += 1
        outbox.append(.malformed(malformed))
    }

    private mutating func handle(
        _ event: Event, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) throws(Malformed) {
        switch event {
        case Event.commandComplete:
            let (allowed, opcode, returned) = try Event.commandComplete.parameters(of: event)
            guard opcode != .none else {
                commands.allow(allowed)
                if case .initializing = phase { commands.repeatReset() }
                return
            }
            completed(opcode, returned, allowed: allowed, at: now, pool: &pool, into: &outbox)
        case Event.commandStatus:
            let (status, allowed, opcode) = try Event.commandStatus.parameters(of: event)
            completed(opcode, [status.rawValue], allowed: allowed, at: now, pool: &pool, into: &outbox)
        case Event.hardwareError:
            let code = try Event.hardwareError.parameters(of: event)
            fail(.hardware(code), pool: &pool, into: &outbox)
        case Event.disconnectionComplete where !isReady:
            let (status, handle, _) = try Event.disconnectionComplete.parameters(of: event)
            endedAfterReset(status, handle, pool: &pool, into: &outbox)
        default:
            guard isReady else { return try event.check() }
            try handleWhenReady(event, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func handleWhenReady(
        _ event: Event, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) throws(Malformed) {
        switch event {
        case Event.leConnectionComplete:
            let (status, complete) = try Event.leConnectionComplete.parameters(of: event)
            connectionComplete(
                status, EnhancedConnectionComplete(complete), at: now, pool: &pool, into: &outbox)
        case Event.leEnhancedConnectionComplete:
            let (status, complete) = try Event.leEnhancedConnectionComplete.parameters(of: event)
            connectionComplete(status, complete, at: now, pool: &pool, into: &outbox)
        case Event.disconnectionComplete:
            let (status, handle, reason) = try Event.disconnectionComplete.parameters(of: event)
            disconnectionComplete(status, handle, reason, pool: &pool, into: &outbox)
        case Event.leAdvertisingReport:
            let received = try Event.leAdvertisingReport.parameters(of: event)
            for report in received { outbox.append(.report(resolved(report))) }
        case Event.leExtendedAdvertisingReport:
            let parts = try Event.leExtendedAdvertisingReport.parameters(of: event)
            for part in parts {
                if let report = scanning.reports.receive(part) { outbox.append(.report(resolved(report))) }
            }
        case Event.leAdvertisingSetTerminated:
            let (_, set, _, _) = try Event.leAdvertisingSetTerminated.parameters(of: event)
            if set == CommandFamily.advertisingSet { setAdvertising(false, into: &outbox) }
        case Event.leConnectionUpdateComplete:
            let (status, handle, timing) = try Event.leConnectionUpdateComplete.parameters(of: event)
            if status == .success {
                updated(handle, timing, into: &outbox)
            } else {
                updateFailed(handle, pool: &pool, into: &outbox)
            }
        case Event.leReadRemoteFeaturesComplete:
            let (status, handle, features) = try Event.leReadRemoteFeaturesComplete.parameters(of: event)
            guard status == .success, let index = index(of: handle) else { return }
            outbox.append(.remoteFeatures(connections[index].id, features))
        case Event.leLongTermKeyRequest:
            let (handle, rand, ediv) = try Event.leLongTermKeyRequest.parameters(of: event)
            stepSecurity(.keyRequested(ediv: ediv, rand: rand), of: handle, at: now, pool: &pool, into: &outbox)
        case Event.encryptionChange:
            let (status, handle, isOn) = try Event.encryptionChange.parameters(of: event)
            let change = LinkSecurityManager.Input.encryptionChanged(status, isOn: isOn != 0)
            stepSecurity(change, of: handle, at: now, pool: &pool, into: &outbox)
        case Event.encryptionKeyRefreshComplete:
            let (status, handle) = try Event.encryptionKeyRefreshComplete.parameters(of: event)
            let change = LinkSecurityManager.Input.encryptionChanged(status, isOn: true)
            stepSecurity(change, of: handle, at: now, pool: &pool, into: &outbox)
        case Event.leRemoteConnectionParameterRequest:
            let (handle, parameters) = try Event.leRemoteConnectionParameterRequest.parameters(of: event)
            guard index(of: handle) != nil else { return }
            commands.add(
                parameters.isValid && faults.acceptsParameters
                    ? .leRemoteConnectionParameterRequestReply(
                        ConnectionUpdate(handle: handle, parameters: parameters))
                    : .leRemoteConnectionParameterRequestNegativeReply(handle, .unacceptableConnectionParameters))
        default: try event.check()
        }
    }

    func index(of handle: UInt16) -> Int? { connections.firstIndex { $0.handle == handle } }

    // MARK: Answers to commands

    private mutating func completed(
        _ opcode: Opcode, _ returned: [UInt8], allowed: UInt8, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard let command = commands.complete(opcode, allowed: allowed) else { return }
        let status = returned.first.map(HCIStatus.init(rawValue:)) ?? .unspecified
        switch phase {
        case .initializing: initialized(command, returned, pool: &pool, into: &outbox)
        case .stopping: stopped(command, status, pool: &pool, into: &outbox)
        case .off, .ready, .failed: completed(command, status, returned, at: now, pool: &pool, into: &outbox)
        }
    }

    /// Reports what the controller has returned for Read RSSI; an unknown strength if it has refused.
    private func reportSignalStrength(_ command: HCI.Command, _ returned: [UInt8], into outbox: inout [Output]) {
        guard let handle = try? HCI.Command.readRSSI.parameters(of: command), let index = index(of: handle) else {
            return
        }
        let link = try? LinkRSSI(octets: Array(returned.dropFirst()))
        let isKnown = returned.first == HCIStatus.success.rawValue && link?.handle == handle && link?.rssi != 127
        outbox.append(.signalStrength(connections[index].id, isKnown ? link?.rssi : nil))
    }

    private mutating func initialized(
        _ command: HCI.Command, _ returned: [UInt8], pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard case .initializing(var initialization) = phase else { return }
        do throws(Initialization.Failure) {
            let former = try initialization.receive(returned, for: command)
            if let former { kept.append(former) }
        } catch {
            let failure: Failure =
                switch error {
                case .rejected(let status): .startRefused(command.opcode, status)
                case .malformed(let malformed): .startMalformed(command.opcode, malformed.description)
                case .noBuffers: .noBuffers
                }
            return fail(failure, pool: &pool, into: &outbox)
        }
        phase = .initializing(initialization)
        continueInitializing(pool: &pool, into: &outbox)
    }

    private mutating func completed(
        _ command: HCI.Command, _ status: HCIStatus, _ returned: [UInt8], at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        if case HCI.Command.readRSSI = command { return reportSignalStrength(command, returned, into: &outbox) }
        if status == .success {
            if let isOn = command.enablesAdvertising { setAdvertising(isOn, into: &outbox) }
            if let isOn = command.enablesScanning { setScanning(isOn, into: &outbox) }
            if case HCI.Command.leSetRandomAddress = command { noteRandomAddress(command) }
            if case HCI.Command.leSetExtendedAdvertisingParameters = command {
                selected(returned, for: command, into: &outbox)
            }
        } else {
            rejected(command, status, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func rejected(
        _ command: HCI.Command, _ status: HCIStatus, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        switch command {
        case HCI.Command.leEnableEncryption:
            guard let handle = try? HCI.Command.leEnableEncryption.parameters(of: command).0 else { break }
            let change = LinkSecurityManager.Input.encryptionChanged(status, isOn: false)
            return stepSecurity(change, of: handle, at: now, pool: &pool, into: &outbox)
        case HCI.Command.leCreateConnection, HCI.Command.leExtendedCreateConnection:
            return endConnecting(.status(status), into: &outbox)
        case HCI.Command.leCreateConnectionCancel where status == .commandDisallowed: return  // already connected
        case HCI.Command.leSetAdvertisingEnable
        where status == .commandDisallowed && command.enablesAdvertising == false:
            return  // a connection ended it
        case HCI.Command.leRemoveAdvertisingSet where status == .unknownAdvertisingIdentifier:
            return  // its parameters were rejected
        case HCI.Command.leSetDataLength: return  // PDUs of 27 octets remain
        case HCI.Command.disconnect:
            if let (handle, _) = try? HCI.Command.disconnect.parameters(of: command) {
                return disconnectRejected(handle, status, pool: &pool, into: &outbox)
            }
        case HCI.Command.leConnectionUpdate:
            if let update = try? HCI.Command.leConnectionUpdate.parameters(of: command), isUpdating(update.handle) {
                return updateFailed(update.handle, pool: &pool, into: &outbox)
            }
        default: break
        }
        outbox.append(.refused(command.opcode, status))
    }

    // MARK: Connections

    private mutating func connectionComplete(
        _ status: HCIStatus, _ enhanced: EnhancedConnectionComplete, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard status == .success else {
            if status == .advertisingTimeout { return setAdvertising(false, into: &outbox) }
            return endConnecting(connecting?.cancelled ?? .status(status), into: &outbox)
        }
        let complete = resolved(enhanced.connection)
        if let index = index(of: complete.handle) {  // the controller did not report its end
            end(connections[index].id, reason: .unspecified, pool: &pool, into: &outbox)
        }
        guard connections.count < Self.maximumConnections else {
            return disconnect(complete, reason: .remoteLowResources)
        }
        guard complete.role == .peripheral || connecting.map({ $0.cancelled == nil }) ?? false else {
            return disconnect(complete, reason: .remoteUserTerminated)
        }
        lastNumber &+= 1
        let id = ConnectionID(number: lastNumber)
        let (own, peer) = addresses(of: enhanced)
        connections.append(
            Connection(id, complete, receives: mtu, faults, security, identity, own: own, peerOnAir: peer))
        if complete.role == .peripheral { setAdvertising(false, into: &outbox) }
        outbox.append(.connected(id, complete))
        negotiate(connections.count - 1, at: now, into: &outbox)
        if complete.role == .central { endConnecting(nil, into: &outbox) }
    }

    private mutating func disconnectionComplete(
        _ status: HCIStatus, _ handle: UInt16, _ reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard status == .success else { return disconnectRejected(handle, status, pool: &pool, into: &outbox) }
        guard let index = index(of: handle) else {
            endedAfterReset(status, handle, pool: &pool, into: &outbox)
            return endUnwanted(handle, into: &outbox)
        }
        endAndAdvertise(connections[index].id, reason: reason, pool: &pool, into: &outbox)
    }

    /// Removes a connection, and advertises again if its start ended the advertising.
    mutating func endAndAdvertise(
        _ id: ConnectionID, reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        end(id, reason: reason, pool: &pool, into: &outbox)
        if !willAdvertise { advertise() }
    }

    /// Disconnects a new connection that is not reported: connecting was cancelled, or there are too many connections.
    private mutating func disconnect(_ complete: ConnectionComplete, reason: HCIStatus) {
        if complete.role == .central, let attempt = connecting {
            connecting?.cancelled = attempt.cancelled ?? .status(.connectionLimitExceeded)
            connecting?.unwanted = complete.handle
        }
        commands.add(.disconnect(complete.handle, reason))
    }

    private mutating func endUnwanted(_ handle: UInt16, into outbox: inout [Output]) {
        guard let attempt = connecting, attempt.unwanted == handle else { return }
        endConnecting(attempt.cancelled, into: &outbox)
    }

    private mutating func disconnectRejected(
        _ handle: UInt16, _ status: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let index = index(of: handle) else { return endUnwanted(handle, into: &outbox) }
        guard status != .unknownConnection else {  // the controller did not report its end
            return endAndAdvertise(connections[index].id, reason: .unspecified, pool: &pool, into: &outbox)
        }
        (connections[index].isEnding, connections[index].deadline) = (false, .never)
        outbox.append(.refused(HCI.Command.disconnect.opcode, status))
    }
}
