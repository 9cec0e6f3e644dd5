import ATT
import Basics
import Bluetooth
import Characteristics
import GATT
import LEHost
import SecurityManager

/// A connection, and the programs that use it.
struct Link: Sendable {
    /// An operation of a program, or of the service itself.
    struct Ticket: Sendable {
        /// Nil: the service's own.
        let program: ProgramID?
        let id: UInt32
        let operation: CentralOperation
        /// The number of the procedure that runs for it.
        var procedure: UInt32
        /// Whether the link has been secured for it.
        var isRetry = false
    }

    /// The programs that a value is sent to.
    struct Subscription: Sendable {
        let value: UInt16
        var programs: [ProgramID]
    }

    let id: ConnectionID
    let peer: DeviceAddress
    var clients: [SharedCentral.Client]
    var mtu = Server.defaultMTU
    /// Whether the service has requested its end, with the failure to report.
    var isEnding = false
    var failure: CentralFailure?
    var operations: [Ticket] = []
    /// Operations that wait until the link is encrypted.
    var unsecured: [Ticket] = []
    /// Writes without response that wait for the controller.
    var commands: [Ticket] = []
    var subscriptions: [Subscription] = []
    /// The handles of Client Characteristic Configurations, by those of the values.
    var configurations: [UInt16: UInt16] = [:]
    var serviceChanged: UInt16?

    init(id: ConnectionID, peer: DeviceAddress, clients: [SharedCentral.Client]) {
        (self.id, self.peer, self.clients) = (id, peer, clients)
    }
}

// Operations on the attributes of connected peripherals.
extension SharedCentral {
    /// Fragments that may wait in the host before a write without response has to wait here.
    private static let maximumFragments = 8

    mutating func start(
        _ operation: CentralOperation, _ id: UInt32, _ peer: DeviceAddress, of program: ProgramID,
        into outbox: inout [Output]
    ) {
        guard let link = links.firstIndex(where: { $0.peer == peer && !$0.isEnding }),
            links[link].clients.contains(where: { $0.program == program })
        else { return }
        start(Link.Ticket(program: program, id: id, operation: operation, procedure: 0), link, into: &outbox)
    }

    private mutating func start(_ ticket: Link.Ticket, _ link: Int, into outbox: inout [Output]) {
        switch ticket.operation {
        case .procedure(let procedure): run(procedure, for: ticket, link, into: &outbox)
        case .writeCommand: links[link].commands.append(ticket)
        case .none(let failure):
            finish(ticket, link, failure.map { .failure($0) } ?? .success(.none), into: &outbox)
        case .readSignalStrength:
            links[link].operations.append(ticket)
            outbox.append(.command(.readSignalStrength(links[link].id)))
        case .notify(let isOn, let value, let descriptors, let configuration):
            guard let program = ticket.program else { return }
            let others = links[link].subscriptions.first { $0.value == value }?.programs.filter { $0 != program } ?? []
            subscribe(program, isOn, to: value, link)
            if !others.isEmpty { return finish(ticket, link, .success(.notifying(isOn)), into: &outbox) }
            if let handle = links[link].configurations[value] {
                run(.configure(handle: handle, isOn ? configuration : []), for: ticket, link, into: &outbox)
            } else if let descriptors {
                run(.discoverDescriptors(descriptors), for: ticket, link, into: &outbox)
            } else {
                finish(ticket, link, .failure(.refused(.attributeNotFound)), into: &outbox)
            }
        }
    }

    private mutating func subscribe(_ program: ProgramID, _ isOn: Bool, to value: UInt16, _ link: Int) {
        let index = links[link].subscriptions.firstIndex { $0.value == value }
        if let index {
            links[link].subscriptions[index].programs.removeAll { $0 == program }
            if isOn { links[link].subscriptions[index].programs.append(program) }
        } else if isOn {
            links[link].subscriptions.append(Link.Subscription(value: value, programs: [program]))
        }
        links[link].subscriptions.removeAll { $0.programs.isEmpty }
    }

    /// A program does not use the link any more, and others do.
    mutating func leave(_ link: Int, _ program: ProgramID, into outbox: inout [Output]) {
        links[link].clients.removeAll { $0.program == program }
        for subscription in links[link].subscriptions where subscription.programs == [program] {
            guard let handle = links[link].configurations[subscription.value] else { continue }
            runOwn(.configure(handle: handle, []), link, into: &outbox)
        }
        for index in links[link].subscriptions.indices {
            links[link].subscriptions[index].programs.removeAll { $0 == program }
        }
        links[link].subscriptions.removeAll { $0.programs.isEmpty }
    }

    private mutating func run(
        _ procedure: Procedure, for ticket: Link.Ticket, _ link: Int, into outbox: inout [Output]
    ) {
        lastProcedure &+= 1
        var ticket = ticket
        ticket.procedure = lastProcedure
        links[link].operations.append(ticket)
        outbox.append(.command(.procedure(links[link].id, procedure, id: lastProcedure)))
    }

    private mutating func runOwn(_ procedure: Procedure, _ link: Int, into outbox: inout [Output]) {
        let ticket = Link.Ticket(program: nil, id: 0, operation: .procedure(procedure), procedure: 0)
        run(procedure, for: ticket, link, into: &outbox)
    }

    /// Prepares a new link for programs: encrypts it with a bond's key, and requests what the policy says.
    mutating func prepare(_ link: Int, into outbox: inout [Output]) {
        outbox.append(.command(.security(links[link].id, .resume)))
        for procedure in policy.preparation { runOwn(procedure, link, into: &outbox) }
        if watches.contains(where: { !$0.services.isEmpty }) {
            runOwn(.discoverPrimaryServices, link, into: &outbox)
        }
    }

    mutating func finished(
        _ id: ConnectionID, _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>,
        into outbox: inout [Output]
    ) {
        guard let link = links.firstIndex(where: { $0.id == id }),
            let index = links[link].operations.firstIndex(where: { $0.procedure == number })
        else { return }
        let ticket = links[link].operations.remove(at: index)
        guard ticket.program != nil else {
            if case .success(let outcome) = result { advance(ticket, outcome, link, into: &outbox) }
            return
        }
        switch result {
        case .success(let outcome): succeeded(ticket, outcome, link, into: &outbox)
        case .failure(.bearerLost), .failure(.disconnected): break  // the link ends
        case .failure(.refused(let error, handle: _)) where error.isCuredBySecurity && !ticket.isRetry:
            if links[link].unsecured.isEmpty { outbox.append(.command(.security(id, .secure))) }
            links[link].unsecured.append(ticket)
        case .failure(let failure): finish(ticket, link, .failure(CentralFailure(failure)), into: &outbox)
        }
    }

    private mutating func succeeded(
        _ ticket: Link.Ticket, _ outcome: Procedure.Outcome, _ link: Int, into outbox: inout [Output]
    ) {
        guard case .notify(let isOn, let value, _, let configuration) = ticket.operation else {
            return finish(ticket, link, .success(.procedure(outcome)), into: &outbox)
        }
        guard case .descriptors(let descriptors) = outcome else {
            return finish(ticket, link, .success(.notifying(isOn)), into: &outbox)
        }
        guard let handle = descriptors.first(where: { $0.type == .clientCharacteristicConfiguration })?.handle else {
            return finish(ticket, link, .failure(.refused(.attributeNotFound)), into: &outbox)
        }
        links[link].configurations[value] = handle
        run(.configure(handle: handle, isOn ? configuration : []), for: ticket, link, into: &outbox)
    }

    private mutating func finish(
        _ ticket: Link.Ticket, _ link: Int, _ result: Result<CentralOutcome, CentralFailure>,
        into outbox: inout [Output]
    ) {
        guard let program = ticket.program else { return }
        if case .notify(true, let value, _, _) = ticket.operation, case .failure = result {
            subscribe(program, false, to: value, link)
        }
        outbox.append(.event(program, .finished(id: ticket.id, links[link].peer, result)))
    }

    /// Continues what `prepare` has begun: takes the name, and subscribes to Service Changed.
    private mutating func advance(
        _ ticket: Link.Ticket, _ outcome: Procedure.Outcome, _ link: Int, into outbox: inout [Output]
    ) {
        guard case .procedure(let procedure) = ticket.operation else { return }
        switch (procedure, outcome) {
        case (.readByUUID(.deviceName, _), .values(let values)):
            guard let octets = values.first?.value, !octets.isEmpty else { return }
            rename(links[link].peer, String(decoding: octets, as: UTF8.self), into: &outbox)
        case (.findPrimaryServices, .services(let services)):
            if let service = services.first { runOwn(.discoverCharacteristics(service.range), link, into: &outbox) }
        case (.discoverPrimaryServices, .services(let services)):
            report(link, into: &outbox) { watch in
                services.contains { watch.services.contains($0.uuid) }
            }
        case (.discoverCharacteristics, .characteristics(let characteristics)):
            guard let changed = characteristics.first(where: { $0.uuid == .serviceChanged }),
                let descriptors = changed.descriptorRange
            else { return }
            links[link].serviceChanged = changed.valueHandle
            runOwn(.discoverDescriptors(descriptors), link, into: &outbox)
        case (.discoverDescriptors, .descriptors(let descriptors)):
            guard let handle = descriptors.first(where: { $0.type == .clientCharacteristicConfiguration })?.handle
            else { return }
            runOwn(.configure(handle: handle, .indication), link, into: &outbox)
        default: break
        }
    }

    private mutating func rename(_ peer: DeviceAddress, _ name: String, into outbox: inout [Output]) {
        guard names[peer] != name else { return }
        if names.count < Self.maximumPeripherals { names[peer] = name }
        for link in links where link.peer == peer {
            for client in link.clients { outbox.append(.event(client.program, .renamed(peer, name))) }
        }
    }

    mutating func exchanged(mtu: Int, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        links[link].mtu = mtu
        for client in links[link].clients {
            outbox.append(.event(client.program, .exchangedMTU(links[link].peer, mtu)))
        }
    }

    mutating func measured(_ strength: Int8?, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }),
            let index = links[link].operations.firstIndex(where: { $0.operation == .readSignalStrength })
        else { return }
        let ticket = links[link].operations.remove(at: index)
        finish(ticket, link, .success(.signalStrength(strength ?? 127)), into: &outbox)
    }

    // MARK: Values

    mutating func received(_ value: [UInt8], _ handle: UInt16, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        let peer = links[link].peer
        if handle == links[link].serviceChanged, let change = try? ServiceChanged(octets: value) {
            changed(HandleRange(change.handles.lowerBound, change.handles.upperBound), link, into: &outbox)
        }
        guard let subscription = links[link].subscriptions.first(where: { $0.value == handle }) else { return }
        for program in subscription.programs {
            outbox.append(.event(program, .value(peer, handle: handle, value)))
        }
    }

    private mutating func changed(_ range: HandleRange, _ link: Int, into outbox: inout [Output]) {
        links[link].subscriptions.removeAll { range.first <= $0.value && $0.value <= range.last }
        links[link].configurations = links[link].configurations.filter { value, handle in
            handle < range.first || value > range.last
        }
        for client in links[link].clients {
            outbox.append(.event(client.program, .servicesChanged(links[link].peer, range)))
        }
    }

    // MARK: Writes without response

    /// Passes on the writes without response for which the host has room.
    mutating func writeCommands(waiting: (ConnectionID) -> Int, into outbox: inout [Output]) {
        for link in links.indices where !links[link].commands.isEmpty {
            var room = Self.maximumFragments - waiting(links[link].id)
            while room > 0, !links[link].commands.isEmpty {
                let ticket = links[link].commands.removeFirst()
                guard case .writeCommand(let handle, let value) = ticket.operation else { continue }
                run(.writeCommand(handle: handle, value: value), for: ticket, link, into: &outbox)
                room -= 1 + value.count / 27
            }
        }
    }

    // MARK: Security

    mutating func secured(
        _ output: LinkSecurityManager.Output, _ id: ConnectionID, into outbox: inout [Output]
    ) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        switch output {
        case .requested: outbox.append(.command(.security(id, .secure)))
        case .requestPasskey: outbox.append(.command(.security(id, .passkey(user.passkey))))
        case .compare: outbox.append(.command(.security(id, .compared(areEqual: user.confirmsNumbers))))
        case .completed(let bond, let isBonded):
            if isBonded { addAlias(of: bond.peer, for: links[link].peer) }
            retry(link, into: &outbox)
        case .encrypted(.some, isNew: false): retry(link, into: &outbox)
        case .failed:
            for ticket in links[link].unsecured {
                finish(ticket, link, .failure(.refused(.insufficientAuthentication)), into: &outbox)
            }
            links[link].unsecured.removeAll()
        case .notEncrypted:
            (links[link].isEnding, links[link].failure) = (true, .bondLost)
            outbox.append(.command(.disconnect(id, reason: .remoteUserTerminated)))
        default: break
        }
    }

    private mutating func retry(_ link: Int, into outbox: inout [Output]) {
        let tickets = links[link].unsecured
        links[link].unsecured.removeAll()
        for var ticket in tickets {
            ticket.isRetry = true
            start(ticket, link, into: &outbox)
        }
    }
}

/// The user of the machine, when it pairs.
package struct PairingUser: Hashable, Sendable {
    /// The passkey that the peripheral displays, or that is printed on it; nil: the user enters none.
    package var passkey: UInt32?
    /// Whether the user confirms that both devices display the same number.
    package var confirmsNumbers = true

    package init() {}
}

extension ATTError {
    /// Whether a request may succeed after pairing or encryption.
    fileprivate var isCuredBySecurity: Bool {
        self == .insufficientAuthentication || self == .insufficientEncryption
    }
}

extension CentralFailure {
    fileprivate init(_ failure: Procedure.Failure) {
        self =
            switch failure {
            case .refused(let error, _): .refused(error)
            case .valueTooLong: .refused(.invalidAttributeValueLength)
            default: .unknown
            }
    }
}
