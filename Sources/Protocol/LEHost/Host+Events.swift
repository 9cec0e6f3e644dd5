import Bluetooth
import HCI
import Octets
import Simulation

// What a controller tells.
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
            play(try Event(octets: octets), at: now, pool: &pool, into: &outbox)
        } catch {
            outbox.append(.ignored(.event, error))
        }
    }

    private mutating func play(
        _ event: Event, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch event {
        case .commandComplete(let allowed, .none, _):
            commands.takes(allowed)
            if case .starting = phase { commands.repeatReset() }
        case .commandComplete(let allowed, let opcode, let returned):
            guard let command = commands.answered(opcode, allowed: allowed) else { return }
            if case .starting = phase { return startAnswered(command, returned, pool: &pool, into: &outbox) }
            let status = returned.first.map(HCIStatus.init(rawValue:)) ?? .unspecified
            answered(command, status, pool: &pool, into: &outbox)
        case .commandStatus(let status, let allowed, let opcode):
            guard let command = commands.answered(opcode, allowed: allowed) else { return }
            if case .starting = phase {
                return startAnswered(command, [status.rawValue], pool: &pool, into: &outbox)
            }
            answered(command, status, pool: &pool, into: &outbox)
        case .hardwareError(let code): fail(.hardware(code), pool: &pool, into: &outbox)
        default:
            guard isReady else { return }
            playLink(event, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func playLink(
        _ event: Event, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch event {
        case .leConnectionComplete(let status, let complete),
            .leEnhancedConnectionComplete(let status, let complete, _, _):
            connectionComplete(status, complete, at: now, pool: &pool, into: &outbox)
        case .disconnectionComplete(.success, let handle, let reason):
            guard let index = index(of: handle) else { return endUnwanted(handle, into: &outbox) }
            endAndAdvertise(connections[index].id, reason: reason, pool: &pool, into: &outbox)
        case .disconnectionComplete(let status, let handle, _):
            disconnectRefused(handle, status, pool: &pool, into: &outbox)
        case .leAdvertisingReport(let heard):
            for report in heard { outbox.append(.report(report)) }
        case .leExtendedAdvertisingReport(let parts):
            for part in parts {
                if let report = reports.receive(part) { outbox.append(.report(report)) }
            }
        case .leAdvertisingSetTerminated(_, let termination) where termination.set == CommandFamily.advertisingSet:
            told(advertising: false, into: &outbox)
        case .leConnectionUpdateComplete(.success, let handle, let timing):
            rhythmChanged(handle, timing, into: &outbox)
        case .leConnectionUpdateComplete(_, let handle, _): rhythmRefused(handle, pool: &pool, into: &outbox)
        case .leLongTermKeyRequest(let handle, _, _):
            if index(of: handle) != nil { commands.add(.leLongTermKeyRequestNegativeReply(handle: handle)) }
        case .leRemoteConnectionParameterRequest(let handle, let parameters):
            guard index(of: handle) != nil else { return }
            commands.add(
                parameters.isValid
                    ? .leRemoteConnectionParameterRequestReply(
                        ConnectionUpdate(handle: handle, parameters: parameters))
                    : .leRemoteConnectionParameterRequestNegativeReply(
                        handle: handle, reason: .unacceptableConnectionParameters))
        default: break
        }
    }

    func index(of handle: UInt16) -> Int? { connections.firstIndex { $0.handle == handle } }

    // MARK: Answers to commands

    private mutating func startAnswered(
        _ command: HCI.Command, _ returned: [UInt8], pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard case .starting(var startUp) = phase else { return }
        do throws(StartUp.Trouble) {
            try startUp.receive(returned, for: command)
        } catch {
            let failure: Failure =
                switch error {
                case .refused(let status): .startRefused(command.opcode, status)
                case .malformed(let malformed): .startMalformed(command.opcode, malformed.description)
                case .noBuffers: .noBuffers
                }
            return fail(failure, pool: &pool, into: &outbox)
        }
        phase = .starting(startUp)
        goOnStarting(pool: &pool, into: &outbox)
    }

    private mutating func answered(
        _ command: HCI.Command, _ status: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch (command, status) {
        case (_, .success):
            if let isOn = command.advertises { told(advertising: isOn, into: &outbox) }
            if let isOn = command.scans { told(scanning: isOn, into: &outbox) }
        case (.leCreateConnection, _), (.leExtendedCreateConnection, _):
            endConnecting(.status(status), into: &outbox)
        case (.leCreateConnectionCancel, .commandDisallowed): break  // the connection came first
        case (.leSetAdvertisingEnable(false), .commandDisallowed): break  // a connection ended it
        case (.leRemoveAdvertisingSet, .unknownAdvertisingIdentifier): break  // its parameters had been refused
        case (.leSetDataLength, _): break  // 27 octets will do
        case (.disconnect(let handle, _), _): disconnectRefused(handle, status, pool: &pool, into: &outbox)
        case (.leConnectionUpdate(let update), _) where asksController(update.handle):
            rhythmRefused(update.handle, pool: &pool, into: &outbox)
        default: outbox.append(.refused(command.opcode, status))
        }
    }

    // MARK: Connections

    private mutating func connectionComplete(
        _ status: HCIStatus, _ complete: ConnectionComplete, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        guard status == .success else {
            if status == .advertisingTimeout { return told(advertising: false, into: &outbox) }
            return endConnecting(connecting?.cancelled ?? .status(status), into: &outbox)
        }
        if let index = index(of: complete.handle) {  // its end was not told
            end(connections[index].id, reason: .unspecified, pool: &pool, into: &outbox)
        }
        guard connections.count < Self.mostConnections else {
            return refuse(complete, reason: .remoteLowResources)
        }
        guard complete.role == .peripheral || connecting.map({ $0.cancelled == nil }) ?? false else {
            return refuse(complete, reason: .remoteUserTerminated)
        }
        lastNumber &+= 1
        let id = ConnectionID(number: lastNumber)
        connections.append(Connection(id, complete, receives: mtu, faults))
        if complete.role == .peripheral { told(advertising: false, into: &outbox) }
        outbox.append(.connected(id, complete))
        settle(connections.count - 1, at: now, into: &outbox)
        if complete.role == .central { endConnecting(nil, into: &outbox) }
    }

    /// Forgets a connection, whose beginning ended the advertising that is wanted.
    mutating func endAndAdvertise(
        _ id: ConnectionID, reason: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        end(id, reason: reason, pool: &pool, into: &outbox)
        if !willAdvertise { advertise() }
    }

    /// Ends a connection that nobody above is told of: it came too late for who cancelled it, or there are too many.
    private mutating func refuse(_ complete: ConnectionComplete, reason: HCIStatus) {
        if complete.role == .central, let attempt = connecting {
            connecting?.cancelled = attempt.cancelled ?? .status(.connectionLimitExceeded)
            connecting?.unwanted = complete.handle
        }
        commands.add(.disconnect(handle: complete.handle, reason: reason))
    }

    private mutating func endUnwanted(_ handle: UInt16, into outbox: inout [Output]) {
        guard let attempt = connecting, attempt.unwanted == handle else { return }
        endConnecting(attempt.cancelled, into: &outbox)
    }

    private mutating func disconnectRefused(
        _ handle: UInt16, _ status: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let index = index(of: handle) else { return endUnwanted(handle, into: &outbox) }
        guard status != .unknownConnection else {  // its end was not told
            return endAndAdvertise(connections[index].id, reason: .unspecified, pool: &pool, into: &outbox)
        }
        (connections[index].isEnding, connections[index].deadline) = (false, .never)
        outbox.append(.refused(.disconnect, status))
    }
}
