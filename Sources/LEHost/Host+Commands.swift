import Bluetooth
import GATT
import HCI
import Octets
import Simulation

// What is wanted of a host.
extension Host {
    mutating func perform(
        _ command: Command, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch command {
        case .start: start(pool: &pool, into: &outbox)
        case .advertise(var parameters, let data, let scanResponse):
            parameters.ownAddress = ownAddress
            advertisement = Advertisement(parameters: parameters, data: data, scanResponse: scanResponse)
            advertise()
        case .stopAdvertising:
            advertisement = nil
            if isAdvertising || willAdvertise { commands.add(.leSetAdvertisingEnable(false)) }
        case .scan(var parameters, let filterDuplicates):
            parameters.ownAddress = ownAddress
            scan = Scan(parameters: parameters, filterDuplicates: filterDuplicates)
            beginScanning()
        case .stopScanning:
            scan = nil
            if isReady { commands.add(.leSetScanEnable(false, filterDuplicates: false)) }
        case .connect(let creation, let timeout): connect(creation, timeout, at: now, into: &outbox)
        case .cancelConnecting:
            if connecting?.cancelled == nil { cancelConnecting(.cancelled, at: now, into: &outbox) }
        case .disconnect(let id, let reason):
            if let index = connections.firstIndex(where: { $0.id == id }) { disconnect(index, reason: reason) }
        case .procedure(let id, let procedure, let number):
            guard let index = connections.firstIndex(where: { $0.id == id }) else {
                return outbox.append(.finished(id, id: number, .failure(.disconnected)))
            }
            connections[index].client.step(
                .start(procedure, id: number), at: now, pool: &pool, into: &clientOutbox)
            drainClient(index, pool: &pool, into: &outbox)
        case .notify(let handle, let value):
            let packet = pool.take(value.prefix(AttributeTable.longestValue))
            notify(handle, packet, at: now, pool: &pool, into: &outbox)
            pool.release(packet)
        }
    }

    var isReady: Bool { if case .ready = phase { true } else { false } }

    private var ownAddress: OwnAddress { randomAddress == nil ? .public : .random }

    private mutating func start(pool: inout PacketPool, into outbox: inout [Output]) {
        endAll(pool: &pool, into: &outbox)
        phase = .starting(StartUp(randomAddress: randomAddress))
        goOnStarting(pool: &pool, into: &outbox)
    }

    /// Sends the next command of the start, or tells that it is over.
    mutating func goOnStarting(pool: inout PacketPool, into outbox: inout [Output]) {
        guard case .starting(var startUp) = phase else { return }
        do throws(StartUp.Trouble) {
            let command = try startUp.next()
            phase = .starting(startUp)
            if let command { return commands.add(command) }
        } catch {
            return fail(.noBuffers, pool: &pool, into: &outbox)
        }
        let controller = startUp.controller
        sending = SendQueue(fragmentLength: controller.bufferLength, count: controller.bufferCount)
        phase = .ready
        outbox.append(.started(randomAddress ?? controller.publicAddress, controller))
        advertise()
        beginScanning()
    }

    /// Whether the controller has been, or will be, told to advertise.
    var willAdvertise: Bool { commands.contains(.leSetAdvertisingEnable(true)) }

    /// Advertises if that is wanted; the controller takes parameters only while it does not.
    mutating func advertise() {
        guard isReady, let advertisement else { return }
        if isAdvertising || willAdvertise { commands.add(.leSetAdvertisingEnable(false)) }
        commands.add(.leSetAdvertisingParameters(advertisement.parameters))
        commands.add(.leSetAdvertisingData(advertisement.data))
        commands.add(.leSetScanResponseData(advertisement.scanResponse))
        commands.add(.leSetAdvertisingEnable(true))
    }

    private mutating func beginScanning() {
        guard isReady, let scan else { return }
        let enable = HCI.Command.leSetScanEnable(true, filterDuplicates: scan.filterDuplicates)
        if isScanning || commands.contains(enable) { commands.add(.leSetScanEnable(false, filterDuplicates: false)) }
        commands.add(.leSetScanParameters(scan.parameters))
        commands.add(enable)
    }

    private mutating func connect(
        _ creation: ConnectionCreation, _ timeout: Duration, at now: Instant, into outbox: inout [Output]
    ) {
        guard isReady, connecting == nil else {
            return outbox.append(.connectionFailed(creation.peer, .notNow))
        }
        var creation = creation
        creation.ownAddress = ownAddress
        let deadline = now.advanced(by: timeout)
        connecting = Connecting(peer: creation.peer, deadline: deadline)
        commands.add(.leCreateConnection(creation))
        outbox.append(.wake(at: deadline))
    }

    /// The controller confirms with an event; one that does not is given as long as for any answer.
    mutating func cancelConnecting(
        _ failure: ConnectionFailure, at now: Instant, into outbox: inout [Output]
    ) {
        guard connecting != nil else { return }
        let deadline = now.advanced(by: CommandQueue.answerTimeout)
        connecting?.deadline = deadline
        connecting?.cancelled = failure
        commands.add(.leCreateConnectionCancel)
        outbox.append(.wake(at: deadline))
    }

    mutating func disconnect(_ index: Int, reason: HCIStatus) {
        guard !connections[index].isEnding else { return }
        connections[index].isEnding = true
        commands.add(.disconnect(handle: connections[index].handle, reason: reason))
    }
}
