import Basics
import Bluetooth
import HCI

// Links: creation, data, procedures, end.
extension Controller {
    // MARK: Creation, sections 7.8.12 and 7.8.13

    mutating func create(_ creation: ConnectionCreation, _ opcode: Opcode, _ context: inout Context) {
        guard self.creation == nil else { return status(.commandDisallowed, opcode, &context) }
        guard creation.parameters.isValid,
            Self.isScan(interval: creation.scanInterval, window: creation.scanWindow),
            let own = ownAddresses(creation.ownAddress, &context)
        else { return status(.invalidParameters, opcode, &context) }
        let reserved = advertising.isOn && advertising.parameters.isConnectable ? 1 : 0
        guard links.count + reserved < Capabilities.connections else {
            return status(.connectionLimitExceeded, opcode, &context)
        }
        guard creation.usesAcceptList || !links.contains(where: { $0.peer == creation.peer }) else {
            return status(.connectionAlreadyExists, opcode, &context)
        }
        self.creation = creation
        status(.success, opcode, &context)
        let strangers = acceptList.filter { address in !links.contains { $0.peer == address } }
        let initiation = Radio.Initiation(
            listener: Listener(interval: creation.scanInterval, window: creation.scanWindow, from: context.now),
            peers: creation.usesAcceptList ? strangers : [creation.peer], own: own,
            parameters: ConnectionTiming(creation.parameters))
        context.radio.initiate(initiation, from: station, at: context.now, into: &context.outbox)
    }

    mutating func cancelCreation(_ opcode: Opcode, _ context: inout Context) {
        guard let creation else { return complete(opcode, .commandDisallowed, &context) }
        self.creation = nil
        context.radio.initiate(nil, from: station, at: context.now, into: &context.outbox)
        complete(opcode, .success, &context)
        let timing = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
        let nothing = ConnectionComplete(handle: 0, role: .central, peer: creation.peer, timing: timing)
        send(.unknownConnection, EnhancedConnectionComplete(nothing), &context)
    }

    /// Reports a connection, or why there is none.  With LE Enhanced Connection Complete unmasked, there is no LE
    /// Connection Complete: sections 7.7.65.1 and 7.7.65.10.
    func send(_ status: HCIStatus, _ complete: EnhancedConnectionComplete, _ context: inout Context) {
        guard !leEventMask.contains(.enhancedConnectionComplete) else {
            return send(.leEnhancedConnectionComplete(status, complete), if: .enhancedConnectionComplete, &context)
        }
        var connection = complete.connection
        connection.isPeerResolved = false
        send(.leConnectionComplete(status, connection), if: .connectionComplete, &context)
    }

    mutating func connected(
        _ connection: Radio.Connection, own: DeviceAddress, peer address: DeviceAddress, _ parameters: ConnectionTiming,
        _ context: inout Context
    ) {
        let kind = connection.end == .central ? creation?.ownAddress : advertising.parameters.ownAddress
        let peer = resolving.sender(at: address) ?? address
        resolving.note(address, of: peer)
        if connection.end == .central { creation = nil } else { advertising.isOn = false }
        let handle = (1...UInt16(Capabilities.connections + 1)).first { handle in
            !links.contains { $0.handle == handle }
        }
        guard let handle, links.count < Capabilities.connections else {
            context.radio.close(connection, at: context.now, pool: &context.pool, into: &context.outbox)
            return
        }
        links.append(
            Linked(
                handle: handle, radio: connection, own: own, peer: peer, parameters: parameters,
                lengths: DataLengthUpdate(sending: suggestedLength)))
        let complete = ConnectionComplete(
            handle: handle, role: connection.end == .central ? .central : .peripheral, peer: peer,
            isPeerResolved: peer != address, timing: parameters)
        let none = DeviceAddress(0, .random)
        let isOwnPrivate = kind?.isPrivate == true && own != kind.flatMap { self.own($0) }
        let enhanced = EnhancedConnectionComplete(
            complete, localPrivateAddress: isOwnPrivate ? own : none,
            peerPrivateAddress: peer == address ? none : address)
        send(.success, enhanced, &context)
        requestLength(links.count - 1, &context)
    }

    // MARK: Data

    /// Passes an ACL packet of the host to its link.
    ///
    /// A packet that is dropped on an existing link is reported as completed, because the host has counted it.
    mutating func send(_ packet: Packet, _ context: inout Context) {
        var packet = packet
        guard let header = try? context.pool.takeACLHeader(off: &packet),
            let index = links.firstIndex(where: { $0.handle == header.handle })
        else { return context.pool.release(packet) }
        let isTooMany = waiting >= Int(Capabilities.buffers.count)
        guard packet.count <= Int(Capabilities.buffers.length), links[index].termination == nil, !isTooMany else {
            context.pool.release(packet)
            if isTooMany { send(.dataBufferOverflow(0x01), if: .dataBufferOverflow, &context) }
            return credit(header.handle, &context)
        }
        links[index].waiting += 1
        waiting += 1
        let pdu = LinkPDU.data(packet, isStart: header.boundary != .continuing)
        context.radio.send(
            pdu, over: links[index].radio, at: context.now, pool: &context.pool, into: &context.outbox)
    }

    mutating func handle(_ output: Link.Output, _ connection: Radio.Connection, _ context: inout Context) {
        guard let index = links.firstIndex(where: { $0.radio == connection }) else {
            if case .received(_, .data(let packet, _)) = output { context.pool.release(packet) }
            return
        }
        switch output {
        case .received(_, .data(var packet, let isStart)):
            context.pool.prependACLHeader(
                handle: links[index].handle, boundary: isStart ? .first : .continuing, to: &packet)
            context.outbox.outputs.append(.toHost(controller: station, .acl, packet))
        case .acknowledged:
            links[index].waiting -= 1
            waiting -= 1
            credit(links[index].handle, &context)
        case .received(_, let pdu): control(pdu, index, &context)
        case .terminated: remove(index, reason: links[index].termination ?? .localHostTerminated, &context)
        case .integrityFailed: remove(index, reason: .micFailure, &context)
        case .lost(_, let wasEstablished):
            remove(index, reason: wasEstablished ? .connectionTimeout : .failedToBeEstablished, &context)
        case .updated(let parameters):
            (links[index].parameters, links[index].isUpdating) = (parameters, false)
            let event = Event.leConnectionUpdateComplete(.success, links[index].handle, parameters)
            send(event, if: .connectionUpdateComplete, &context)
        case .wake, .wakeSupervision: break
        }
    }

    /// Number Of Completed Packets, section 7.7.19: one buffer is free.
    private mutating func credit(_ handle: UInt16, _ context: inout Context) {
        var event = context.pool.take()
        context.pool.appendNumberOfCompletedPackets(handle: handle, count: 1, to: &event)
        context.outbox.outputs.append(.toHost(controller: station, .event, event))
    }

    mutating func remove(_ index: Int, reason: HCIStatus, _ context: inout Context) {
        let link = links.remove(at: index)
        encrypted[link.handle] = nil
        waiting -= link.waiting
        send(
            .disconnectionComplete(.success, link.handle, reason), if: .disconnectionComplete, &context)
    }

    // MARK: Procedures

    /// Starts a procedure that ends with another event; the status says whether it could start.
    mutating func startProcedure(_ command: Command, _ context: inout Context) throws(Malformed) -> HCIStatus {
        switch command {
        case Command.disconnect:
            let (handle, reason) = try Command.disconnect.parameters(of: command)
            guard let index = index(of: handle) else { return .unknownConnection }
            guard HCIStatus.disconnectReasons.contains(reason) else { return .invalidParameters }
            guard links[index].termination == nil else { return .commandDisallowed }
            links[index].termination = .localHostTerminated
            send(.terminate(reason: reason), index, &context)
        case Command.leConnectionUpdate:
            let update = try Command.leConnectionUpdate.parameters(of: command)
            guard let index = index(of: update.handle) else { return .unknownConnection }
            guard update.parameters.isValid else { return .invalidParameters }
            guard links[index].radio.end == .central else { return .unsupportedRemoteFeature }
            guard !links[index].isUpdating else { return .commandDisallowed }
            guard let instant = context.radio.updateInstant(of: links[index].radio, at: context.now) else {
                return .unknownConnection
            }
            links[index].isUpdating = true
            send(.connectionUpdate(ConnectionTiming(update.parameters), instant: instant), index, &context)
        case Command.leReadRemoteFeatures:
            let handle = try Command.leReadRemoteFeatures.parameters(of: command)
            guard let index = index(of: handle) else { return .unknownConnection }
            guard !links[index].requestsFeatures else { return .commandDisallowed }
            links[index].requestsFeatures = true
            send(.featureRequest(Capabilities.linkFeatures), index, &context)
        case Command.readRemoteVersionInformation:
            let handle = try Command.readRemoteVersionInformation.parameters(of: command)
            guard let index = index(of: handle) else { return .unknownConnection }
            guard !links[index].requestsVersion else { return .commandDisallowed }
            links[index].requestsVersion = true
            if !links[index].hasSentVersion { sendVersion(index, &context) }
        default: return .unknownCommand
        }
        return .success
    }

    func readRSSI(of handle: UInt16, _ opcode: Opcode, _ context: inout Context) {
        guard let index = index(of: handle),
            let peer = context.radio.peerStation(of: links[index].radio)
        else {
            return complete(opcode, .unknownConnection, returning: LinkRSSI(handle: handle, rssi: 127).octets, &context)
        }
        let rssi = context.radio.air.reception(from: peer, to: station, at: context.now).rssi
        complete(opcode, .success, returning: LinkRSSI(handle: handle, rssi: rssi).octets, &context)
    }

    func index(of handle: UInt16) -> Int? { links.firstIndex { $0.handle == handle } }

    func send(_ pdu: LinkPDU, _ index: Int, _ context: inout Context) {
        context.radio.send(
            pdu, over: links[index].radio, at: context.now, pool: &context.pool, into: &context.outbox)
    }

    /// Handles a control PDU of the peer.
    private mutating func control(_ pdu: LinkPDU, _ index: Int, _ context: inout Context) {
        switch pdu {
        case .terminate(let reason): remove(index, reason: reason, &context)
        case .featureRequest(let features):
            send(.featureResponse(features.intersection(Capabilities.linkFeatures)), index, &context)
        case .featureResponse(let features):
            links[index].requestsFeatures = false
            let event = Event.leReadRemoteFeaturesComplete(.success, links[index].handle, features)
            send(event, if: .readRemoteFeaturesComplete, &context)
        case .version(let version):
            links[index].version = version
            if !links[index].hasSentVersion { sendVersion(index, &context) }
            answerVersion(index, &context)
        case .lengthRequest, .lengthResponse: agree(pdu, index, &context)
        case .unknown:
            agree(pdu, index, &context)
            receiveOfEncryption(pdu, index, &context)
        case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
            .pauseEncryptionRequest, .pauseEncryptionResponse, .rejection:
            receiveOfEncryption(pdu, index, &context)
        case .connectionUpdate, .data: break
        }
    }

    private mutating func sendVersion(_ index: Int, _ context: inout Context) {
        links[index].hasSentVersion = true
        send(.version(Capabilities.version), index, &context)
    }

    /// Reports versions that are already known, after the Command Status.
    mutating func answerKnownVersions(_ context: inout Context) {
        for index in links.indices { answerVersion(index, &context) }
    }

    private mutating func answerVersion(_ index: Int, _ context: inout Context) {
        guard links[index].requestsVersion, let version = links[index].version else { return }
        links[index].requestsVersion = false
        let event = Event.readRemoteVersionInformationComplete(
            .success, links[index].handle, version.number, version.company, version.subversion)
        send(event, if: .readRemoteVersionInformationComplete, &context)
    }
}

// The length of data PDUs: sections 7.8.33 to 7.8.35, 7.8.46 and 7.7.65.7.
extension Controller {
    mutating func carryOutLengthCommand(_ command: Command, _ context: inout Context) throws(Malformed) {
        var status = HCIStatus.success
        var returned: [UInt8] = []
        switch command {
        case Command.leSetDataLength:
            let (handle, length) = try Command.leSetDataLength.parameters(of: command)
            status = setLength(length, of: handle, &context)
            returned.append(handle)
        case Command.leReadSuggestedDefaultDataLength: returned = suggestedLength.octets
        case Command.leWriteSuggestedDefaultDataLength:
            let length = try Command.leWriteSuggestedDefaultDataLength.parameters(of: command)
            if length.isValid { suggestedLength = length } else { status = .invalidParameters }
        default: returned = DataLength.maximum.octets + DataLength.maximum.octets
        }
        complete(command.opcode, status, returning: returned, &context)
    }

    private mutating func setLength(
        _ length: DataLength, of handle: UInt16, _ context: inout Context
    ) -> HCIStatus {
        guard let index = links.firstIndex(where: { $0.handle == handle }) else { return .unknownConnection }
        guard length.isValid else { return .invalidParameters }
        guard links[index].lengths.isSupported else { return .unsupportedRemoteFeature }
        links[index].lengths.prefer(length)
        requestLength(index, &context)
        return .success
    }

    /// Sends a request if the preferred length has changed.
    mutating func requestLength(_ index: Int, _ context: inout Context) {
        if let request = links[index].lengths.request() { send(request, index, &context) }
    }

    /// Handles a PDU of the procedure, and reports a change to the host.
    mutating func agree(_ pdu: LinkPDU, _ index: Int, _ context: inout Context) {
        let before = links[index].lengths.effective
        if let answer = links[index].lengths.receive(pdu) { send(answer, index, &context) }
        requestLength(index, &context)
        let now = links[index].lengths.effective
        guard now != before else { return }
        context.radio.limit(links[index].radio, payload: now.sending.payload)
        let event = Event.leDataLengthChange(links[index].handle, now.sending, now.receiving)
        send(event, if: .dataLengthChange, &context)
    }
}
