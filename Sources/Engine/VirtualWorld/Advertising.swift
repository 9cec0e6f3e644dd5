import Basics
package import Bluetooth
import Devices
import HCI
import LEHost
import ScenarioModel
import SecurityManager
import VirtualRadio

// Advertising, in phases that restart when another connection becomes possible.
extension World {
    /// Advertises as a phase of the scenario defines it; stops if the device has all its connections, during
    /// `stop_advertising`, and after the last phase.
    ///
    /// The caller forwards the host's outputs.
    mutating func advertise(_ node: Int, phase: Int) {
        let device = scenario.devices[node]
        if let ticket = nodes[node].phaseEnd { cancel(ticket) }
        (nodes[node].phase, nodes[node].phaseEnd) = (phase, nil)
        stopAdvertisedValues(of: node)
        let isOn = isToAdvertise(node, phase: phase)
        if case .attributes = nodes[node].hosting {
            if isOn { tellAdvertisement(of: node) }
            tell(node, .advertise(isOn))
        } else if isOn {
            let (data, response) = presentAdvertisement(of: node)
            let bonded = nodes[node].host.security.bonds.last?.peer
            let parameters = device.advertising.parameters(of: phase, bondedWith: bonded)
            instruct(node, .advertise(parameters, data: data, scanResponse: response))
        } else {
            instruct(node, .stopAdvertising)
        }
        if isOn { keepAdvertisedValues(of: node) }
        if isOn, let duration = device.advertising.phases[phase].duration {
            schedulePhaseEnd(of: node, due: now.advanced(by: duration))
        }
    }

    func isToAdvertise(_ node: Int, phase: Int) -> Bool {
        let device = scenario.devices[node]
        return device.role == .peripheral && !nodes[node].conditions.has(.stopAdvertising)
            && nodes[node].connections.count < device.connections
            && device.advertising.phases.indices.contains(phase)
    }
}

extension ScenarioModel.Advertising {
    /// The parameters of a phase; `peer` is the client that the device has bonded with last.
    fileprivate func parameters(of phase: Int, bondedWith peer: DeviceAddress?) -> AdvertisingParameters {
        let units = UInt16(clamping: max(0x20, min(0x4000, phases[phase].interval.inNanoseconds / 625_000)))
        var parameters = AdvertisingParameters(
            minimumInterval: units, maximumInterval: units, kind: isConnectable ? .undirected : .scannable)
        guard isConnectable, let peer else { return parameters }
        if isDirected { (parameters.kind, parameters.peer) = (.directedLowDuty, peer) }
        if isForBonded { parameters.filterPolicy = AdvertisingParameters.onlyAcceptedConnect }
        return parameters
    }
}

extension ScenarioModel.Device {
    /// The two payloads of legacy advertising.  Data without room in the first goes into the second, unless the scenario
    /// defines the scan response; so does the name.
    var advertisement: (data: [UInt8], scanResponse: [UInt8]) {
        let (data, response) = composedAdvertisement
        guard let own = advertising.payload.octets else { return (data, advertising.scanResponse?.octets ?? response) }
        return (own, advertising.scanResponse.map { $0.octets ?? response } ?? [])
    }

    /// The same without regard to data that the scenario has as octets.
    private var composedAdvertisement: (data: [UInt8], scanResponse: [UInt8]) {
        var (data, response) = (AdvertisingData(), AdvertisingData())
        try? data.append(flags: [.generalDiscoverable, .lowEnergyOnly])
        let missing = data.append(advertising.payload)
        if let payload = advertising.scanResponse { _ = response.append(payload) } else { _ = response.append(missing) }
        try? response.append(localName: name)
        return (data.octets, response.octets)
    }
}

extension AdvertisingData {
    /// Appends as much as there is room for, and returns the rest.
    mutating func append(_ payload: Advertising.Payload) -> Advertising.Payload {
        var rest = payload
        (rest.services, rest.serviceData, rest.manufacturerData) = ([], [], [])
        (rest.appearance, rest.txPower) = (nil, nil)
        do {
            try append(
                services: payload.services, inFull: payload.fullServices, isComplete: payload.hasAllServices)
        } catch { rest.services = payload.services }
        if let appearance = payload.appearance {
            do { try append(appearance: Appearance(appearance)) } catch { rest.appearance = appearance }
        }
        if let power = payload.txPower { do { try append(txPowerLevel: power) } catch { rest.txPower = power } }
        for data in payload.serviceData {
            do { try append(serviceData: data.octets, of: data.uuid) } catch { rest.serviceData.append(data) }
        }
        for data in payload.manufacturerData {
            do {
                try append(manufacturerSpecificData: data.octets, company: data.company)
            } catch { rest.manufacturerData.append(data) }
        }
        return rest
    }
}

// Script actions on advertising, clocks and addresses.
extension World {
    /// Restarts advertising with the first phase, or stops it during `stop_advertising`.
    mutating func restartAdvertising(of node: Int) {
        advertise(node, phase: 0)
        forwardHostOutputs(of: node)
    }

    /// Applies `drift` to the clock of a device's sensors.  Its connections keep their time, since a peripheral follows
    /// the anchor points of its central: Core 6.0, Vol 6, Part B, section 4.5.7.
    mutating func updateDrift(of node: Int) {
        var drift = 0.0
        if case .drift(let partsPerMillion)? = nodes[node].conditions.last(.drift) { drift = partsPerMillion }
        nodes[node].device.drift(by: drift, at: now)
        wakeDevice(node)
    }

    /// Changes the address of a device; its connections keep the old one.
    mutating func changeAddress(of node: Int, to address: DeviceAddress) {
        if address.kind == .public { airspace.assign(address, to: nodes[node].controller) }
        addresses.note(address, of: node)
        command(.changeAddress(address.kind == .random ? address : nil), of: node)
    }

    /// Notes the private address with which the host of a device advertises.
    mutating func notePrivateAddress(of node: Int) {
        let address = nodes[node].host.address
        if address.isResolvable, self.address(of: node) != address { addresses.note(address, of: node) }
    }

    /// A static address that no device has had: its two highest bits are set, and the others are not all equal.
    /// Core 6.0, Vol 6, Part B, section 1.3.2.1.
    func randomAddress(of node: Int) -> DeviceAddress {
        var chance = chance.stream("address \(node) \(addresses.changes)")
        let others: UInt64 = 0x3FFF_FFFF_FFFF
        while true {
            let number = chance.next() & others
            let address = DeviceAddress(~others | number, .random)
            if number != 0, number != others, device(at: address) == nil { return address }
        }
    }

    /// The device of the scenario that has an address or had it last; nil if there is none.
    package func device(at address: DeviceAddress) -> Int? { addresses.device(at: address) }

    package func address(of device: Int) -> DeviceAddress? { addresses.address(of: device) }
}
