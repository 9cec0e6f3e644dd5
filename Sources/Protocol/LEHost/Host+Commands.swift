import Basics
import Bluetooth
import GATT
package import HCI
import L2CAP

// The commands of a host.
extension Host {
    mutating func perform(
        _ command: Command, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch command {
        case .start: start(at: now, pool: &pool, into: &outbox)
        case .stop: stop(pool: &pool, into: &outbox)
        case .advertise(var parameters, let data, let scanResponse):
            parameters.ownAddress = ownAddress
            advertising.wanted = Advertisement(parameters: parameters, data: data, scanResponse: scanResponse)
            advertise()
        case .changeAdvertisingData(let data, let scanResponse): changeAdvertisingData(data, scanResponse)
        case .stopAdvertising:
            advertising.wanted = nil
            if advertising.isOn || willAdvertise { commands.add(family.stopAdvertising) }
        case .scan(var parameters, let filterDuplicates):
            parameters.ownAddress = ownAddress
            scanning.wanted = Scan(parameters: parameters, filterDuplicates: filterDuplicates)
            beginScanning()
        case .stopScanning:
            scanning.wanted = nil
            if isReady { commands.add(family.stopScanning) }
        case .connect(let creation, let timeout): connect(creation, timeout, at: now, into: &outbox)
        case .cancelConnecting:
            if connecting?.cancelled == nil { cancelConnecting(.cancelled, at: now, into: &outbox) }
        case .disconnect(let id, let reason):
            if let index = connections.firstIndex(where: { $0.id == id }) { disconnect(index, reason: reason) }
        case .readRemoteFeatures(let id):
            if let connection = connections.first(where: { $0.id == id }) {
                commands.add(.leReadRemoteFeatures(connection.handle))
            }
        case .readSignalStrength(let id):
            if let connection = connections.first(where: { $0.id == id }) { commands.add(.readRSSI(connection.handle)) }
        case .procedure(let id, let procedure, let number):
            guard let index = connections.firstIndex(where: { $0.id == id }) else {
                return outbox.append(.finished(id, id: number, .failure(.disconnected)))
            }
            connections[index].client.step(
                .start(procedure, id: number), at: now, pool: &pool, into: &clientOutbox)
            drainClient(index, pool: &pool, into: &outbox)
        case .notify(let handle, let value):
            let packet = pool.take(value.prefix(AttributeTable.maximumValueLength))
            notify(handle, packet, at: now, pool: &pool, into: &outbox)
            pool.release(packet)
        case .changeAttributes(let table, let isAnnounced):
            change(table, isAnnounced: isAnnounced, at: now, pool: &pool, into: &outbox)
        case .changeAddress(let address): changeAddress(to: address, into: &outbox)
        case .rotateAddress: rotateAddress(at: now, into: &outbox)
        case .attenuate(let decibels): attenuate(by: decibels, into: &outbox)
        case .security(let id, let input):
            guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
            stepSecurity(input, index, at: now, pool: &pool, into: &outbox)
        case .changeSecurity(let settings):
            security.settings = settings
            updateSecuritySettings()
        case .exchangeOutOfBand(let data, let peer):
            security.outOfBand[peer] = data
            updateSecuritySettings()
        case .forget(let peer): forget(peer, into: &outbox)
        case .answer: break  // needs the values: `step`
        case .requestParameters(let id, let parameters):
            guard let index = connections.firstIndex(where: { $0.id == id }), connections[index].role == .peripheral
            else {
                return
            }
            connections[index].parameters.prefer(parameters, due: now)
            requestUpdateIfDue(index, at: now, pool: &pool, into: &outbox)
        }
    }

    private mutating func changeAddress(to address: DeviceAddress?, into outbox: inout [Output]) {
        guard connecting == nil else {
            return outbox.append(.refused(HCI.Command.leSetRandomAddress.opcode, .commandDisallowed))
        }
        randomAddress = address
        useAddress()
    }

    /// Stops advertising and scanning first: a controller that advertises, scans or connects rejects another random
    /// address.  Core 6.0, Vol 4, Part E, section 7.8.4.
    mutating func useAddress() {
        let ownAddress = ownAddress
        advertising.wanted?.parameters.ownAddress = ownAddress
        scanning.wanted?.parameters.ownAddress = ownAddress
        guard isReady else { return }
        if willAdvertise { commands.add(family.stopAdvertising) }
        if willScan { commands.add(family.stopScanning) }
        if let usedRandomAddress { commands.add(.leSetRandomAddress(usedRandomAddress)) }
        advertise()
        beginScanning()
    }

    private mutating func change(
        _ table: AttributeTable, isAnnounced: Bool, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let old = self.table
        self.table = table
        for index in connections.indices {
            connections[index].server.attributesChanged(
                from: old, to: table, isAnnounced: isAnnounced, at: now, pool: &pool, into: &serverOutbox)
            drainServer(index, pool: &pool, into: &outbox)
        }
        guard !isAnnounced else { return }
        for peer in security.clients.keys { security.clients[peer]?.ignoreChange(to: table) }
    }

    var isReady: Bool { if case .ready = phase { true } else { false } }

    /// Whether the host has stopped, or not started.
    package var isOff: Bool {
        switch phase {
        case .off, .stopping: true
        case .initializing, .ready, .failed: false
        }
    }

    /// The command of the first initialization that the controller has not answered yet; nil before and after it.
    package var unansweredAtStart: Opcode? { hasStarted ? nil : commands.pending?.opcode }

    private var ownAddress: OwnAddress { usedRandomAddress == nil ? .public : .random }

    private mutating func start(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        let former = connections.map { FormerConnection(id: $0.id, handle: $0.handle) }
        endAll(isOff ? .connectionTimeout : .hardwareFailure, pool: &pool, into: &outbox)
        scanning.malformedReports = 0
        kept = []
        generateAddress(at: now, into: &outbox)
        phase = .initializing(Initialization(randomAddress: usedRandomAddress, after: former))
        continueInitializing(pool: &pool, into: &outbox)
    }

    /// A controller that is reset sends no LL_TERMINATE_IND: Core 6.0, Vol 4, Part E, section 7.3.2.  Some virtual
    /// controllers keep their connections through a reset; the commands that end these show whether it is one of them.
    private mutating func stop(pool: inout PacketPool, into outbox: inout [Output]) {
        endAllButConnections(.connectionTimeout, into: &outbox)
        for connection in connections { sending.remove(connection.handle, pool: &pool) }
        sending = SendQueue(fragmentLength: 27, count: 0)
        phase = connections.isEmpty ? .off : .stopping
        commands.add(.reset())
        for connection in connections { commands.add(.disconnect(connection.handle, .remotePowerOff)) }
    }

    /// Takes the answer to a command that ends a connection after a reset: a controller that does not know the connection
    /// has lost it.  One that begins to end it has perhaps kept it: Disconnection Complete tells.
    mutating func stopped(
        _ command: HCI.Command, _ status: HCIStatus, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        if let (handle, _) = try? HCI.Command.disconnect.parameters(of: command), let index = index(of: handle) {
            if status == .success {
                (connections[index].isEnding, hasNewDisconnection) = (true, true)
            } else {
                end(connections[index].id, reason: .connectionTimeout, pool: &pool, into: &outbox)
            }
        }
        if connections.isEmpty { phase = .off }
    }

    /// Ends a connection that a reset has ended already, if the status is not success, or only now.
    mutating func endedAfterReset(
        _ status: HCIStatus, _ handle: UInt16, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard case .stopping = phase else {
            guard let place = kept.firstIndex(where: { $0.handle == handle }) else { return }
            let former = kept.remove(at: place)
            if status == .success { outbox.append(.keptThroughReset(former.id)) }
            return
        }
        guard let index = index(of: handle) else { return }
        let id = connections[index].id
        if status == .success { outbox.append(.keptThroughReset(id)) }
        let reason: HCIStatus = status == .success ? .localHostTerminated : .connectionTimeout
        end(id, reason: reason, pool: &pool, into: &outbox)
        if connections.isEmpty { phase = .off }
    }

    /// Sends the next command of the initialization, or reports that the host has started.
    mutating func continueInitializing(pool: inout PacketPool, into outbox: inout [Output]) {
        guard case .initializing(var initialization) = phase else { return }
        do throws(Initialization.Failure) {
            let command = try initialization.next()
            phase = .initializing(initialization)
            if let command { return commands.add(command) }
        } catch {
            return fail(.noBuffers, pool: &pool, into: &outbox)
        }
        let controller = initialization.controller
        features = controller.features
        publicAddress = controller.publicAddress
        family = CommandFamily(features)
        advertising.power.range = controller.transmitPower
        sending = SendQueue(fragmentLength: controller.bufferLength, count: controller.bufferCount)
        phase = .ready
        hasStarted = true
        privateAddresses.confirmed = initialization.randomAddress
        outbox.append(.started(address, controller))
        if let usedRandomAddress, usedRandomAddress != initialization.randomAddress {
            commands.add(.leSetRandomAddress(usedRandomAddress))
        }
        reportFixedPower(into: &outbox)
        advertise()
        beginScanning()
    }

    /// Whether the controller will advertise after the waiting commands.
    var willAdvertise: Bool { commands.last(\.enablesAdvertising) ?? advertising.isOn }

    /// Whether the controller will scan after the waiting commands.
    private var willScan: Bool { commands.last(\.enablesScanning) ?? scanning.isOn }

    /// Advertises if the caller has requested it.  Stops first: the controller accepts parameters only then.
    mutating func advertise() {
        guard isReady, let advertisement = advertising.wanted else { return }
        if willAdvertise { commands.add(family.stopAdvertising) }
        if advertising.hasSet { commands.add(.leRemoveAdvertisingSet(CommandFamily.advertisingSet)) }
        advertising.hasSet = family == .extended
        if advertisement.parameters.filterPolicy & AdvertisingParameters.onlyAcceptedConnect != 0 {
            acceptBondedPeers()
        }
        for command in family.advertise(advertisement, address: usedRandomAddress, power: advertising.power.requested) {
            commands.add(command)
        }
    }

    /// A controller uses new data from its next advertising event on: Core 6.0, Vol 4, Part E, sections 7.8.7 and 7.8.54.
    private mutating func changeAdvertisingData(_ data: [UInt8], _ scanResponse: [UInt8]) {
        guard let old = advertising.wanted else { return }
        let new = Advertisement(parameters: old.parameters, data: data, scanResponse: scanResponse)
        advertising.wanted = new
        guard isReady, willAdvertise else { return }
        for command in family.change(old, to: new) { commands.add(command) }
    }

    /// Scans if the caller has requested it, but not while connecting: not every controller supports both at once.
    private mutating func beginScanning() {
        guard isReady, connecting == nil, let scan = scanning.wanted else { return }
        if willScan { commands.add(family.stopScanning) }
        for command in family.scan(scan) { commands.add(command) }
    }

    private mutating func connect(
        _ creation: ConnectionCreation, _ timeout: Duration?, at now: Instant, into outbox: inout [Output]
    ) {
        guard isReady, connecting == nil else {
            return outbox.append(.connectionFailed(creation.peer, .notNow))
        }
        let deadline = timeout.map { now.advanced(by: $0) } ?? .never
        connecting = Connecting(peer: creation.peer, deadline: deadline)
        var creation = creation
        creation.ownAddress = ownAddress
        creation.peer = privateAddresses.address(of: creation.peer)
        if willScan { commands.add(family.stopScanning) }
        commands.add(family.connect(creation))
        if deadline < .never { outbox.append(.wake(at: deadline)) }
    }

    /// The controller confirms with an event, in the time allowed for any answer.
    mutating func cancelConnecting(
        _ failure: ConnectionFailure, at now: Instant, into outbox: inout [Output]
    ) {
        guard connecting != nil else { return }
        let deadline = now.advanced(by: CommandQueue.answerTimeout)
        connecting?.deadline = deadline
        connecting?.cancelled = failure
        commands.add(.leCreateConnectionCancel())
        outbox.append(.wake(at: deadline))
    }

    /// Ends connecting; `failure` is nil when there is a connection.
    mutating func endConnecting(_ failure: ConnectionFailure?, into outbox: inout [Output]) {
        guard let attempt = connecting else { return }
        connecting = nil
        if let failure { outbox.append(.connectionFailed(attempt.peer, failure)) }
        if privateAddresses.due < .never { outbox.append(.wake(at: privateAddresses.due)) }
        beginScanning()
    }

    mutating func disconnect(_ index: Int, reason: HCIStatus) {
        guard !connections[index].isEnding else { return }
        connections[index].isEnding = true
        hasNewDisconnection = true
        commands.add(.disconnect(connections[index].handle, reason))
    }

    /// The time after which a connection that is being disconnected is taken for ended: the maximum supervision timeout
    /// is 32 s.
    static let disconnectTimeout = Duration.seconds(40)

    /// Sets the deadline of disconnections that were requested since the last call.
    mutating func watchEndings(at now: Instant, into outbox: inout [Output]) {
        hasNewDisconnection = false
        let deadline = now.advanced(by: Self.disconnectTimeout)
        for index in connections.indices where connections[index].isEnding && connections[index].deadline == .never {
            connections[index].deadline = deadline
        }
        outbox.append(.wake(at: deadline))
    }
}
