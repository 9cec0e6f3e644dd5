import ATT
import Basics
import Bluetooth
import Characteristics
import GATT
import LEHost
import SecurityManager

// Operations on the attributes of peripherals.
extension SharedCentral {
    /// Fragments that may wait in the host before a write without response has to wait here.
    private static let maximumFragments = 8

    mutating func start(
        _ operation: CentralOperation, _ id: UInt32, _ peer: DeviceAddress, of program: ProgramID,
        into outbox: inout [Output]
    ) {
        let ticket = Link.Ticket(program: program, id: id, operation: operation, procedure: 0)
        guard let link = links.firstIndex(where: { $0.peer == peer && isUsable($0) }),
            policy.audience == .everyone || links[link].clients.contains(where: { $0.program == program })
        else {
            guard policy.attributes.interruption != nil else { return }
            let result = startWithoutLink(ticket, peer)
            return outbox.append(.event(program, .finished(id: id, peer, result)))
        }
        start(ticket, link, into: &outbox)
    }

    /// Whether programs can start operations on a link: everyone's is used until it ends, although a program has cancelled it.
    private func isUsable(_ link: Link) -> Bool {
        link.isUsable || policy.audience == .everyone && !link.isEnding && link.failure == nil
    }

    /// Notes a subscription to attributes that are kept, for the next connection.
    private mutating func startWithoutLink(
        _ ticket: Link.Ticket, _ peer: DeviceAddress
    ) -> Result<CentralOutcome, CentralFailure> {
        guard case .notify(let isOn, let value, _, let configuration) = ticket.operation,
            let kept = peers[peer], !links.contains(where: { $0.peer == peer }),
            kept.services.contains(where: { $0.range.contains(value) })
        else { return .failure(.notConnected) }
        guard kept.subscriptions.contains(ticket.program, value) != isOn else {
            return .failure(isOn ? .inProgress : .notSubscribed)
        }
        peers[peer]?.subscriptions.set(isOn, ticket.program, value, configuration)
        return .success(.notifying(isOn))
    }

    mutating func start(_ ticket: Link.Ticket, _ link: Int, into outbox: inout [Output]) {
        switch ticket.operation {
        case .procedure(let procedure): start(procedure, for: ticket, link, into: &outbox)
        case .writeCommand: links[link].commands.append(ticket)
        case .none(let failure):
            finish(ticket, link, failure.map { .failure($0) } ?? .success(.none), into: &outbox)
        case .readSignalStrength:
            links[link].operations.append(ticket)
            outbox.append(.command(.readSignalStrength(links[link].id)))
        case .notify(let isOn, let value, let descriptors, let configuration):
            notify(isOn, value, descriptors, configuration, for: ticket, link, into: &outbox)
        }
    }

    private mutating func start(
        _ procedure: Procedure, for ticket: Link.Ticket, _ link: Int, into outbox: inout [Output]
    ) {
        guard policy.attributes.sharesRequests, ticket.program != nil else {
            return run(procedure, for: ticket, link, into: &outbox)
        }
        let running = links[link].operations.filter { $0.program != nil }
        if procedure.read != nil, let same = running.first(where: { $0.operation == ticket.operation }) {
            var ticket = ticket
            ticket.procedure = same.procedure
            return links[link].operations.append(ticket)
        }
        let (read, written) = (procedure.read, procedure.written)
        if running.contains(where: { read != nil && $0.read == read || written != nil && $0.written == written }) {
            return finish(ticket, link, .failure(.inProgress), into: &outbox)
        }
        run(procedure, for: ticket, link, into: &outbox)
    }

    private mutating func notify(
        _ isOn: Bool, _ value: UInt16, _ descriptors: HandleRange?, _ configuration: ClientConfiguration,
        for ticket: Link.Ticket, _ link: Int, into outbox: inout [Output]
    ) {
        if !policy.attributes.configuresAgain, !ticket.isRetry,
            links[link].subscriptions.contains(ticket.program, value) == isOn
        {
            let result = Result<CentralOutcome, CentralFailure>.success(.notifying(true))
            return finish(ticket, link, isOn ? result : .failure(.notSubscribed), isFinal: false, into: &outbox)
        }
        let isUsed = links[link].subscriptions.isUsed(value, besides: ticket.program)
        links[link].subscriptions.set(isOn, ticket.program, value, configuration)
        if policy.attributes.sharesRequests, isOn, isUsed, let same = links[link].subscribing(to: value) {
            var ticket = ticket
            ticket.procedure = same.procedure
            return links[link].operations.append(ticket)
        }
        if isUsed { return finish(ticket, link, .success(.notifying(isOn)), into: &outbox) }
        if let handle = links[link].configurations[value] {
            run(.configure(handle: handle, isOn ? configuration : []), for: ticket, link, into: &outbox)
        } else if let descriptors {
            run(.discoverDescriptors(descriptors), for: ticket, link, into: &outbox)
        } else {
            finish(ticket, link, .failure(.refused(.attributeNotFound)), into: &outbox)
        }
    }

    /// A program does not use the link any more, and others do.
    mutating func leave(_ link: Int, _ program: ProgramID, into outbox: inout [Output]) {
        links[link].clients.removeAll { $0.program == program }
        for value in links[link].subscriptions.leave(program) {
            guard let handle = links[link].configurations[value] else { continue }
            runOwn(.configure(handle: handle, []), link, into: &outbox)
        }
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

    /// Runs a procedure of the service itself.
    mutating func runOwn(
        _ procedure: Procedure, _ link: Int, for step: AttributeStep? = nil, into outbox: inout [Output]
    ) {
        let ticket = Link.Ticket(program: nil, id: 0, operation: .procedure(procedure), step: step, procedure: 0)
        run(procedure, for: ticket, link, into: &outbox)
    }

    // MARK: Results

    mutating func finished(
        _ id: ConnectionID, _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>,
        at now: Instant, into outbox: inout [Output]
    ) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        while let index = links[link].operations.firstIndex(where: { $0.procedure == number }) {
            let ticket = links[link].operations.remove(at: index)
            switch result {
            case .success(let outcome): succeeded(ticket, outcome, link, into: &outbox)
            case .failure(let failure): failed(ticket, failure, link, into: &outbox)
            }
        }
        if case .failure(.bearerLost) = result, links[link].isUsable {
            links[link].failure = .connectionFailed
            end(link, after: policy.connecting.lingerUnanswered, at: now, into: &outbox)
            if policy.audience == .everyone { releaseUnanswered(links[link], into: &outbox) }
        }
        continueSteps(link, into: &outbox)
    }

    private mutating func failed(
        _ ticket: Link.Ticket, _ failure: Procedure.Failure, _ link: Int, into outbox: inout [Output]
    ) {
        switch failure {
        case .disconnected: links[link].interrupted.append(ticket)
        case .bearerLost:
            guard let error = policy.attributes.interruption else { return }
            finish(ticket, link, .failure(.refused(error)), into: &outbox)
        case .refused(let error, handle: _) where error.isCuredBySecurity && canSecure(for: ticket):
            if links[link].unsecured.isEmpty { outbox.append(.command(.security(links[link].id, .secure))) }
            links[link].unsecured.append(ticket)
        default:
            if let step = ticket.step { failed(step, link) }
            finish(ticket, link, .failure(CentralFailure(failure)), into: &outbox)
        }
    }

    private func canSecure(for ticket: Link.Ticket) -> Bool {
        !ticket.isRetry && (ticket.program != nil || policy.pairing.securesOwnRequests)
    }

    private mutating func succeeded(
        _ ticket: Link.Ticket, _ outcome: Procedure.Outcome, _ link: Int, into outbox: inout [Output]
    ) {
        guard ticket.program != nil else {
            if let step = ticket.step { advance(step, ticket.operation, outcome, link, into: &outbox) }
            return
        }
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

    /// Reports the end of an operation; a subscription that failed is none, if the failure `isFinal`.
    mutating func finish(
        _ ticket: Link.Ticket, _ link: Int, _ result: Result<CentralOutcome, CentralFailure>, isFinal: Bool = true,
        into outbox: inout [Output]
    ) {
        guard let program = ticket.program else { return }
        if isFinal, case .notify(true, let value, _, let configuration) = ticket.operation, case .failure = result {
            links[link].subscriptions.set(false, program, value, configuration)
        }
        outbox.append(.event(program, .finished(id: ticket.id, links[link].peer, result)))
    }

    /// The ends of the operations that the end of a link has interrupted.
    func interruptions(of link: Link) -> [Output] {
        guard let error = policy.attributes.interruption else { return [] }
        return link.tickets.compactMap { ticket in
            ticket.program.map {
                .event($0, .finished(id: ticket.id, link.peer, .failure(.refused(error))))
            }
        }
    }

    mutating func exchanged(mtu: Int, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        links[link].mtu = mtu
        tell(.exchangedMTU(links[link].peer, mtu), about: links[link], into: &outbox)
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
        guard let subscription = links[link].subscriptions[handle] else { return }
        if subscription.isOwn { receivedOwn(value, handle, link, into: &outbox) }
        for program in subscription.programs {
            outbox.append(.event(program, .value(peer, handle: handle, value)))
        }
    }

    // MARK: Writes without response

    /// Passes on the writes without response for which the host has room; there, they also wait for an operation that has not
    /// ended.
    mutating func writeCommands(waiting: (ConnectionID) -> Int, into outbox: inout [Output]) {
        for link in links.indices where !links[link].commands.isEmpty {
            let passed = links[link].operations.reduce(0) { $0 + $1.operation.fragments }
            var room = Self.maximumFragments - waiting(links[link].id) - passed
            while room > 0, !links[link].commands.isEmpty {
                let ticket = links[link].commands.removeFirst()
                guard case .writeCommand(let handle, let value) = ticket.operation else { continue }
                run(.writeCommand(handle: handle, value: value), for: ticket, link, into: &outbox)
                room -= ticket.operation.fragments
            }
        }
    }
}

extension Procedure {
    /// The handle of the value that it reads.
    fileprivate var read: UInt16? {
        switch self {
        case .read(let handle), .readLong(let handle), .readRest(let handle, _): handle
        default: nil
        }
    }

    /// The handle of the value that it writes.
    fileprivate var written: UInt16? {
        switch self {
        case .write(let handle, _), .writeLong(let handle, _), .writeRest(let handle, _, _): handle
        case .writeReliably(let values): values.first?.handle
        default: nil
        }
    }
}

extension CentralOperation {
    /// About the number of fragments of a write without response.
    fileprivate var fragments: Int { if case .writeCommand(_, let value) = self { 1 + value.count / 27 } else { 0 } }
}

extension Link.Ticket {
    /// The handle of the value that it reads.
    fileprivate var read: UInt16? {
        if case .procedure(let procedure) = operation { procedure.read } else { nil }
    }

    /// The handle of the value that it writes.
    fileprivate var written: UInt16? {
        if case .procedure(let procedure) = operation { procedure.written } else { nil }
    }
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
