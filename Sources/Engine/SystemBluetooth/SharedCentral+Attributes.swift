import ATT
import Basics
import Bluetooth
import GATT
import LEHost
import SecurityManager

// The steps of the service itself, which concern the attributes of peripherals.
extension SharedCentral {
    /// Prepares a new link for programs: encrypts it with a bond's key, and begins what the policy says.
    mutating func prepare(_ link: Int, at now: Instant, into outbox: inout [Output]) {
        outbox.append(.command(.security(links[link].id, .resume)))
        let kept = peers[links[link].peer]
        if let kept {
            links[link].adopt(kept.services)
            links[link].subscriptions = kept.subscriptions
        }
        links[link].steps = kept == nil ? policy.attributes.preparation : policy.attributes.resumption
        continueSteps(link, into: &outbox)
        if watches.contains(where: { !$0.services.isEmpty }) {
            runOwn(.discoverPrimaryServices, link, for: .discover, into: &outbox)
        }
    }

    /// Begins the next steps, unless some have not ended.
    mutating func continueSteps(_ link: Int, into outbox: inout [Output]) {
        while links[link].isUsable, !links[link].steps.isEmpty, !links[link].isBusy {
            for step in links[link].steps.removeFirst() { perform(step, link, into: &outbox) }
        }
    }

    private mutating func perform(_ step: AttributeStep, _ link: Int, into outbox: inout [Output]) {
        let peer = links[link].peer
        switch step {
        case .exchangeMTU: runOwn(.exchangeMTU, link, for: step, into: &outbox)
        case .findName: runOwn(.readByUUID(.deviceName, .all), link, for: step, into: &outbox)
        case .findServiceChanged:
            runOwn(.findPrimaryServices(.genericAttribute), link, for: step, into: &outbox)
        case .discover: runOwn(.discoverEverything, link, for: step, into: &outbox)
        case .compareHash where troubles.stale.contains(peer): break
        case .compareHash:
            guard let hash = links[link].characteristic(.databaseHash), peers[peer]?.hash != nil else {
                return renew(link)
            }
            runOwn(.read(handle: hash.valueHandle), link, for: step, into: &outbox)
        case .read(let uuid):
            guard let value = links[link].characteristic(uuid)?.valueHandle else { return }
            runOwn(.readLong(handle: value), link, for: step, into: &outbox)
        case .write(let uuid, let octets):
            guard let value = links[link].characteristic(uuid)?.valueHandle else { return }
            runOwn(.write(handle: value, value: octets), link, for: step, into: &outbox)
        case .subscribe(let uuid): subscribe(to: uuid, step, link, into: &outbox)
        case .report(let uuid):
            if !links[link].reported.contains(uuid) { links[link].reported.append(uuid) }
            guard let value = links[link].values[uuid] else { return }
            tell(.ownValue(peer, uuid, value), about: links[link], into: &outbox)
        case .resubscribe:
            for entry in links[link].subscriptions.entries {
                guard let handle = links[link].configurations[entry.value] else { continue }
                runOwn(.configure(handle: handle, entry.configuration), link, for: step, into: &outbox)
            }
        case .announce: announce(link, into: &outbox)
        case .retire: retire(link, into: &outbox)
        case .readExtendedProperties: readExtendedProperties(step, link, into: &outbox)
        case .resolve: resolve(link, into: &outbox)
        }
    }

    private mutating func readExtendedProperties(_ step: AttributeStep, _ link: Int, into outbox: inout [Output]) {
        for characteristic in links[link].services.flatMap(\.characteristics) {
            guard characteristic.properties.contains(.extendedProperties),
                let handle = characteristic.descriptors.first(where: { $0.type == .characteristicExtendedProperties })?
                    .handle
            else { continue }
            runOwn(.read(handle: handle), link, for: step, into: &outbox)
        }
    }

    private mutating func subscribe(
        to uuid: UUID, _ step: AttributeStep, _ link: Int, into outbox: inout [Output]
    ) {
        guard let characteristic = links[link].characteristic(uuid),
            let handle = links[link].configurations[characteristic.valueHandle],
            !links[link].subscriptions.contains(nil, characteristic.valueHandle)
        else { return }
        let configuration: ClientConfiguration =
            characteristic.properties.contains(.notify) ? .notification : .indication
        let isUsed = links[link].subscriptions.isUsed(characteristic.valueHandle, besides: nil)
        links[link].subscriptions.set(true, nil, characteristic.valueHandle, configuration)
        guard !isUsed else { return }
        runOwn(.configure(handle: handle, configuration), link, for: step, into: &outbox)
    }

    /// A step ended with an error of the peripheral: without attributes there is nothing more to do.
    mutating func failed(_ step: AttributeStep, _ link: Int) {
        switch step {
        case .discover: links[link].steps.removeAll()
        case .compareHash: renew(link)
        default: break
        }
    }

    private mutating func renew(_ link: Int) {
        links[link].steps = policy.attributes.renewal + links[link].steps + policy.attributes.completion
    }

    /// Continues a step with what it has found.
    mutating func advance(
        _ step: AttributeStep, _ operation: CentralOperation, _ outcome: Procedure.Outcome, _ link: Int,
        into outbox: inout [Output]
    ) {
        switch (step, outcome) {
        case (.findName, .values(let values)):
            guard let octets = values.first?.value, !octets.isEmpty else { return }
            rename(links[link].peer, octets, into: &outbox)
        case (.findServiceChanged, _): follow(outcome, link, into: &outbox)
        case (.discover, .services(let services)):
            report(link, into: &outbox) { watch in services.contains { watch.services.contains($0.uuid) } }
            if operation == .procedure(.discoverEverything) { links[link].adopt(services) }
        case (.readExtendedProperties, .value(let value)):
            guard case .procedure(.read(let handle)) = operation else { return }
            links[link].note(value, ofExtendedProperties: handle)
        case (.compareHash, .value(let hash)): if hash != peers[links[link].peer]?.hash { renew(link) }
        case (.read(let uuid), .value(let value)):
            links[link].values[uuid] = value
            if uuid == .deviceName, !value.isEmpty { rename(links[link].peer, value, into: &outbox) }
            if uuid == .databaseHash { peers[links[link].peer]?.hash = value }
        default: break
        }
    }

    /// Continues to search for Service Changed.
    private mutating func follow(_ outcome: Procedure.Outcome, _ link: Int, into outbox: inout [Output]) {
        switch outcome {
        case .services(let services):
            guard let service = services.first else { return }
            runOwn(.discoverCharacteristics(service.range), link, for: .findServiceChanged, into: &outbox)
        case .characteristics(let characteristics):
            guard let changed = characteristics.first(where: { $0.uuid == .serviceChanged }),
                let descriptors = changed.descriptorRange
            else { return }
            links[link].serviceChanged = changed.valueHandle
            runOwn(.discoverDescriptors(descriptors), link, for: .findServiceChanged, into: &outbox)
        case .descriptors(let descriptors):
            guard let handle = descriptors.first(where: { $0.type == .clientCharacteristicConfiguration })?.handle
            else { return }
            runOwn(.configure(handle: handle, .indication), link, for: .findServiceChanged, into: &outbox)
        default: break
        }
    }

    private mutating func rename(_ peer: DeviceAddress, _ octets: [UInt8], into outbox: inout [Output]) {
        let name = String(decoding: octets, as: UTF8.self)
        guard peers.rename(peer, name) else { return }
        for link in links where link.peer == peer { tell(.renamed(peer, name), about: link, into: &outbox) }
    }

    /// A value that the service itself has subscribed to.
    mutating func receivedOwn(_ value: [UInt8], _ handle: UInt16, _ link: Int, into outbox: inout [Output]) {
        guard let uuid = links[link].reported.first(where: { links[link].characteristic($0)?.valueHandle == handle })
        else { return }
        links[link].values[uuid] = value
        tell(.ownValue(links[link].peer, uuid, value), about: links[link], into: &outbox)
    }

    // MARK: Changes

    /// Attributes have changed: the service renews them, or programs do.
    mutating func changed(_ range: HandleRange, _ link: Int, into outbox: inout [Output]) {
        guard !troubles.stale.contains(links[link].peer) else { return }
        tell(.servicesChanged(links[link].peer, range), about: links[link], into: &outbox)
        let renewal = policy.attributes.renewal
        guard !renewal.isEmpty else { return links[link].forget(range) }
        // One that has not begun sees this change, too.
        guard !links[link].steps.suffix(renewal.count).elementsEqual(renewal) else { return }
        links[link].steps += renewal
        continueSteps(link, into: &outbox)
    }

    private mutating func announce(_ link: Int, into outbox: inout [Output]) {
        let (peer, services) = (links[link].peer, links[link].services)
        let known = peers[peer]?.services ?? []
        links[link].retiring += known.filter { !services.contains($0) }
        var kept =
            peers[peer]
            ?? KnownPeers.Attributes(subscriptions: Subscriptions(separatesOwn: policy.attributes.separatesOwn))
        (kept.services, kept.hash) = (services, links[link].values[.databaseHash])
        peers[peer] = kept
        let found = services.filter { !known.contains($0) }
        if !found.isEmpty { tell(.found(peer, found), about: links[link], into: &outbox) }
    }

    private mutating func retire(_ link: Int, into outbox: inout [Output]) {
        let (lost, present) = (links[link].retiring, links[link].services)
        links[link].retiring.removeAll()
        for value in lost.lazy.flatMap(\.characteristics).map(\.valueHandle) {
            let isThere = present.contains { $0.characteristics.contains { $0.valueHandle == value } }
            if !isThere { links[link].forget(HandleRange(value, value)) }
        }
        reportLoss(of: lost, peer: links[link].peer, into: &outbox)
    }

    private func reportLoss(of services: [DiscoveredService], peer: DeviceAddress, into outbox: inout [Output]) {
        if !services.isEmpty { tell(.lost(peer, services), into: &outbox) }
    }

    /// A peer does not answer: its attributes are over before the link is.
    mutating func releaseUnanswered(_ link: Link, into outbox: inout [Output]) {
        if policy.attributes.cache == .none || policy.attributes.cache == .bonded && !peers.isBonded(link.peer) {
            keepAttributes(of: link, into: &outbox)
        }
        tell(.disconnecting(link.peer), about: link, into: &outbox)
    }

    /// Keeps the attributes and subscriptions of a link that has ended, or forgets them.
    mutating func keepAttributes(of link: Link, into outbox: inout [Output]) {
        guard !link.isForgotten, let services = peers[link.peer]?.services else { return }
        let isKept =
            switch policy.attributes.cache {
            case .none: false
            case .bonded: peers.isBonded(link.peer)
            case .all: true
            }
        if isKept {
            var subscriptions = link.subscriptions
            subscriptions.leave()
            peers[link.peer]?.subscriptions = subscriptions
            reportLoss(of: link.retiring, peer: link.peer, into: &outbox)
        } else {
            peers[link.peer] = nil
            reportLoss(of: services + link.retiring, peer: link.peer, into: &outbox)
        }
    }
}
