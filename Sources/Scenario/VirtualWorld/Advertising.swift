import Bluetooth
import HCI
import LEHost
import Scenarios
import Simulation

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
        guard device.role == .peripheral, !nodes[node].conditions.has(.stopAdvertising),
            nodes[node].connections.count < device.connections,
            device.advertising.phases.indices.contains(phase)
        else { return instruct(node, .stopAdvertising) }
        let (data, response) = device.advertisement
        let parameters = device.advertising.parameters(of: phase)
        instruct(node, .advertise(parameters, data: data, scanResponse: response))
        if let duration = device.advertising.phases[phase].duration {
            schedulePhaseEnd(of: node, due: now.advanced(by: duration))
        }
    }
}

extension Scenarios.Advertising {
    fileprivate func parameters(of phase: Int) -> AdvertisingParameters {
        let units = UInt16(clamping: max(0x20, min(0x4000, phases[phase].interval.inNanoseconds / 625_000)))
        return AdvertisingParameters(
            minimumInterval: units, maximumInterval: units, kind: isConnectable ? .undirected : .scannable)
    }
}
