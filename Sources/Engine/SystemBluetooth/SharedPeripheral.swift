package import Basics
import Bluetooth
import GATT
import HCI
package import LEHost

/// The peripheral role of the Bluetooth service that all programs share: it owns the attributes, the advertising and the links
/// with centrals.
///
///     add ──▶ services ──▶ attributes of the host ──▶ requests of centrals ──▶ programs
///     updates of programs ──▶ queue ──▶ notifications, as fast as the links take them
///
/// It requests commands of a `Host`, and takes its outputs.
package struct SharedPeripheral: Sendable {
    /// What the service requests of its driver, or reports.
    package enum Output: Sendable {
        indirect case command(Host.Command)
        /// Notify, or indicate, a value to one central.
        indirect case notify(ConnectionID, handle: UInt16, [UInt8])
        indirect case event(ProgramID, PeripheralEvent)
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
    }

    struct Service: Sendable {
        let program: ProgramID
        let id: UInt32
        let definition: LocalService
        var isPresent = true
    }

    /// A value or a descriptor of a program.
    struct Attribute: Sendable {
        let program: ProgramID
        let characteristic: CharacteristicID
        let descriptor: Int?
    }

    /// A link with a central.
    struct CentralLink: Sendable {
        let id: ConnectionID
        let peer: DeviceAddress
        var mtu = Server.defaultMTU
        /// The handles of the values that it has subscribed to.
        var subscriptions: [UInt16] = []
        /// The request that waits for an answer of a program.
        var request: (number: UInt32, program: ProgramID)?
        /// Whether it has to confirm an indication.
        var isConfirming = false
    }

    /// A value that waits to be sent.
    struct Update: Sendable {
        let program: ProgramID
        let handle: UInt16
        let value: [UInt8]
        /// The links that it has not been sent on.
        var links: [ConnectionID]
    }

    let policy: HostPolicy
    private var name: String
    var isOn = false
    var programs: [ProgramID] = []
    var services: [Service] = []
    var table = AttributeTable()
    /// The number of the system's services, which come first.
    private var ownServices = 0
    var advertising: AdvertisingSets
    var links: [CentralLink] = []
    var updates: [Update] = []
    var lastRequest: UInt32 = 0

    /// A service without attributes.
    ///
    /// - Parameters:
    ///   - policy: Which system it is.
    ///   - name: The name of the machine: its GAP Device Name.
    package init(_ policy: HostPolicy, name: String) {
        (self.policy, self.name) = (policy, name)
        advertising = AdvertisingSets(policy.advertising)
    }

    /// Handles a request of a program.
    package mutating func perform(
        _ request: PeripheralRequest, of program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        switch request {
        case .open: programs.append(program)
        case .close: close(program, at: now, into: &outbox)
        case .add(let service, let id): add([service], id, of: program, into: &outbox)
        case .addAll(let services, let id): add(services, id, of: program, into: &outbox)
        case .remove(let id): remove(into: &outbox) { $0.program == program && $0.id == id }
        case .removeAll: remove(into: &outbox) { $0.program == program }
        case .rename(let new):
            name = new
            if ownServices > 0 { _ = change(into: &outbox) }
        case .advertise(let content, let id):
            if let failure = advertising.add(content, id, of: program, at: now) {
                return outbox.append(.event(program, .advertising(id: id, failure)))
            }
            advertise(into: &outbox)
        case .stopAdvertising(let id): stopAdvertising(id, program, at: now, into: &outbox)
        case .update(let characteristic, let value, let peers):
            update(characteristic, value, peers, of: program, into: &outbox)
        case .respond(let request, let result):
            answer(result, into: &outbox) { $0.number == request && $0.program == program }
        case .setLatency(let latency, let peer):
            for link in links where link.peer == peer {
                outbox.append(.command(.requestParameters(link.id, latency.parameters)))
            }
        case .disconnect(let peer):
            for link in links where link.peer == peer {
                outbox.append(.command(.disconnect(link.id, reason: .remoteUserTerminated)))
            }
        }
    }

    /// The radio has been switched on or off.  Links end silently with it; services stay, and advertising is resumed.
    package mutating func turn(_ state: RadioState, into outbox: inout [Output]) {
        guard isOn != (state == .on) else { return }
        isOn = state == .on
        links.removeAll()
        let lost = updates
        updates.removeAll()
        for update in lost { outbox.append(.event(update.program, .updated)) }
    }

    /// Answers the requests of centrals that match.
    private mutating func answer(
        _ result: Result<[UInt8], ATTError>, into outbox: inout [Output],
        where isMeant: ((number: UInt32, program: ProgramID)) -> Bool
    ) {
        for link in links.indices {
            guard let request = links[link].request, isMeant(request) else { continue }
            links[link].request = nil
            outbox.append(.command(.answer(links[link].id, result)))
        }
    }

    private mutating func close(_ program: ProgramID, at now: Instant, into outbox: inout [Output]) {
        answer(.failure(.unlikelyError), into: &outbox) { $0.program == program }
        stopAdvertising(nil, program, at: now, into: &outbox)
        remove(into: &outbox) { $0.program == program }
        updates.removeAll { $0.program == program }
        programs.removeAll { $0 == program }
    }

    // MARK: Services

    private mutating func add(
        _ added: [LocalService], _ id: UInt32, of program: ProgramID, into outbox: inout [Output]
    ) {
        let new = added.enumerated().map { index, service in
            Service(program: program, id: id &+ UInt32(index), definition: service)
        }
        outbox.append(.event(program, .added(id: id, publish(new, of: program, into: &outbox))))
    }

    private mutating func publish(
        _ new: [Service], of program: ProgramID, into outbox: inout [Output]
    ) -> PeripheralFailure? {
        guard !new.contains(where: { policy.reservedServices.contains($0.definition.uuid) }) else {
            return .uuidNotAllowed
        }
        var known = Set(services.lazy.filter { $0.isPresent && $0.program == program }.map(\.id))
        let before = services
        for service in new where !known.contains(service.id) {
            guard known.isSuperset(of: service.definition.includes) else {
                services = before
                return .unknownInclude
            }
            known.insert(service.id)
            services.append(service)
        }
        guard services.count > before.count else { return nil }
        guard change(into: &outbox) else {
            services = before
            return .outOfSpace
        }
        return nil
    }

    private mutating func remove(into outbox: inout [Output], where isGone: (Service) -> Bool) {
        let indices = services.indices.filter { services[$0].isPresent && isGone(services[$0]) }
        guard !indices.isEmpty else { return }
        for index in indices { services[index].isPresent = false }
        _ = change(into: &outbox)
    }

    /// Gives the host the attributes of all services; false if there are too many.  While centrals are connected, handles do not
    /// change: a removed service leaves a gap, unless no other follows it.
    private mutating func change(into outbox: inout [Output]) -> Bool {
        if links.isEmpty { services.removeAll { !$0.isPresent } }
        while services.last?.isPresent == false { services.removeLast() }
        let own = ServiceDefinition.ofSystem(policy, named: name)
        ownServices = own.count
        let definitions = services.map { service in
            let includes = service.definition.includes.compactMap { id in
                services.lastIndex { $0.program == service.program && $0.id == id }
            }
            return ServiceDefinition(
                uuid: service.definition.uuid, isPrimary: service.definition.isPrimary,
                includes: includes.map { $0 + own.count },
                characteristics: service.definition.characteristics.map(\.definition), isPresent: service.isPresent)
        }
        guard let changed = try? AttributeTable(own + definitions) else { return false }
        table = changed
        outbox.append(.command(.changeAttributes(table, isAnnounced: true)))
        return true
    }

    /// The value handle of a program's characteristic.
    func handle(of characteristic: CharacteristicID, _ program: ProgramID) -> UInt16? {
        services.lastIndex { $0.program == program && $0.id == characteristic.service && $0.isPresent }.flatMap {
            table.handle(ofValue: characteristic.index, service: $0 + ownServices)
        }
    }

    /// The characteristic with this value handle, and its program.
    func characteristic(_ handle: UInt16) -> (ProgramID, CharacteristicID)? {
        guard let found = attribute(handle), found.descriptor == nil else { return nil }
        return (found.program, found.characteristic)
    }

    /// The value, or the descriptor, with this handle, and its program.
    func attribute(_ handle: UInt16) -> Attribute? {
        for (place, service) in services.enumerated() where service.isPresent {
            for (index, characteristic) in service.definition.characteristics.enumerated() {
                let id = CharacteristicID(service: service.id, index: index)
                if table.handle(ofValue: index, service: place + ownServices) == handle {
                    return Attribute(program: service.program, characteristic: id, descriptor: nil)
                }
                let descriptor = characteristic.descriptors.indices.first { descriptor in
                    let defined = characteristic.index(ofDescriptor: descriptor)
                    return table.handle(ofDescriptor: defined, characteristic: index, service: place + ownServices)
                        == handle
                }
                if let descriptor {
                    return Attribute(program: service.program, characteristic: id, descriptor: descriptor)
                }
            }
        }
        return nil
    }

    // MARK: Advertising

    /// Advertises what programs have requested; also while centrals are connected.
    func advertise(into outbox: inout [Output]) {
        guard let command = advertising.command else { return }
        outbox.append(.command(command))
        if advertising.due < .never { outbox.append(.wake(at: advertising.due)) }
    }

    /// Handles the passing of time, at an instant of `.wake`.
    package mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        if advertising.advance(at: now) { advertise(into: &outbox) }
    }

    private mutating func stopAdvertising(
        _ id: UInt32?, _ program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        guard advertising.remove(id, of: program, at: now) else { return }
        if advertising.isEmpty { outbox.append(.command(.stopAdvertising)) } else { advertise(into: &outbox) }
    }
}
