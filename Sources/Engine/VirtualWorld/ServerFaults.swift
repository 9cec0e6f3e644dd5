import ATT
import Basics
import Bluetooth
import Devices
import GATT
import L2CAP
import LEHost
import ScenarioModel

// Script actions on a device's host and server, and on the built-in client's host.
extension World {
    /// The errors that the script injects into a device's server, by its present handles.
    func errorInjection(of node: Int) -> ErrorInjection {
        var errorInjection = ErrorInjection()
        let actions = nodes[node].conditions.actions.reversed()  // of two values with one handle, the last counts
        for rank in 0...2 {
            for action in actions where action.entity?.rank == rank {
                guard case .attError(let request, let code) = action.operation, let entity = action.entity,
                    let range = range(of: entity), let error = ATTError(code)
                else { continue }
                errorInjection.add(request.map(ErrorInjection.Requests.init) ?? .all, in: range, with: error)
            }
        }
        return errorInjection
    }

    /// All attributes of an entity; of a value, those of its characteristic.
    private func range(of entity: EntityReference) -> HandleRange? {
        switch entity {
        case .device: return .all
        case .service(let node, let service):
            let device = nodes[node].device
            return device.table.range(ofService: device.placeInTable(ofService: service))
        case .value:
            guard let (node, value) = place(of: entity), let handle = nodes[node].device.handle(of: value) else {
                return nil
            }
            return nodes[node].device.table.range(ofCharacteristicWithValue: handle)
        case .client, .rule: return nil
        }
    }

    /// Sets the MTU that a device offers from now on.
    mutating func updateMTU(of node: Int) {
        var mtu = scenario.devices[node].link.mtu ?? Self.defaultMTU
        if case .mtu(let wanted)? = nodes[node].conditions.last(.mtu) { mtu = wanted }
        inject(.offer(mtu: mtu), into: node)
    }

    /// Lets these requests to a device wait.
    mutating func stall(_ node: Int, _ requests: ErrorInjection.Requests) { inject(.stall(requests), into: node) }

    /// Sends octets as a PDU to the peers of a device.
    mutating func sendRaw(_ octets: [UInt8], on channel: Action.Channel, of node: Int) {
        inject(.sendRaw(L2CAP.Channel(channel), octets), into: node)
    }

    /// Makes the built-in client confirm indications, or not.
    mutating func confirmIndications(_ isOn: Bool) {
        for node in nodes.indices where nodes[node].isClient { inject(.confirmIndications(isOn), into: node) }
    }
}

extension EntityReference {
    /// 0 for the most specific.
    fileprivate var rank: Int {
        switch self {
        case .value: 0
        case .service: 1
        case .device, .client, .rule: 2
        }
    }
}

extension ErrorInjection.Requests {
    init(_ request: Action.Request) {
        switch request {
        case .read: self = .read
        case .write: self = .write
        case .subscribe: self = .subscribe
        case .discover: self = .discover
        case .mtu: self = .exchangeMTU
        }
    }
}

extension L2CAP.Channel {
    fileprivate init(_ channel: Action.Channel) {
        switch channel {
        case .att: self = .attribute
        case .signalling: self = .signalling
        case .smp: self = .security
        }
    }
}

extension ATTError {
    fileprivate init?(_ code: Code) {
        switch code {
        case .number(let number): self.init(rawValue: number)
        case .name(let name): self.init(name: name)
        }
    }
}

// Attributes that change while clients are connected.  Core 6.0, Vol 3, Part G, section 2.5.2.
extension World {
    /// Moves the services of a device to higher handles; logs `saturated` and does nothing if there are too few.
    mutating func moveHandles(of node: Int, by distance: Int, _ announce: Bool) {
        guard let table = movedTable(of: node, by: distance) else { return noteTooFar(node, by: distance) }
        adopt(table, of: node, announce)
    }

    /// The attributes of a device at higher handles; nil if there are too few handles.
    func movedTable(of node: Int, by distance: Int) -> AttributeTable? {
        UInt16(exactly: distance).flatMap { try? nodes[node].device.table(movedBy: $0) }
    }

    /// Removes and adds services of a device, each at the handles reserved for it.
    mutating func changeServices(of node: Int, _ removed: [Int], _ added: [Int], _ announce: Bool) {
        // All services of a scenario have reserved handles, so this does not throw.
        guard let table = try? nodes[node].device.table(removing: removed, adding: added) else { return }
        adopt(table, of: node, announce)
    }

    /// Gives a device and its host a new table, and updates everything that depends on handles.
    private mutating func adopt(_ table: AttributeTable, of node: Int, _ isAnnounced: Bool) {
        command(.changeAttributes(table, isAnnounced: isAnnounced), of: node)
        nodes[node].device.adopt(table, at: now)
        names.follow(node, nodes[node])
        updateSilence(of: node)
        updateNotificationFaults(of: node)
        inject(.injectErrors(errorInjection(of: node)), into: node)
    }
}
