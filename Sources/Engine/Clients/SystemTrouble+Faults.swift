import Bluetooth
import ScenarioModel
import SystemBluetooth

extension SystemTrouble {
    /// What a fault of the scenario, perhaps of a device with an address, is for a service; nil if the address is missing.
    init?(_ fault: Action.SystemFault, of peer: DeviceAddress?) {
        switch (fault, peer) {
        case (.daemonAway(let isAbrupt), _): self = .serviceAway(isAbrupt: isAbrupt)
        case (.busAway, _): self = .busAway
        case (.adapterOff, _): self = .radioOff
        case (.adapterUnplugged, _): self = .radioUnplugged
        case (.discoveryStuck, _): self = .discoveryStuck
        case (.otherScan, _): self = .otherScan
        case (.lateReplies(let delay), _): self = .lateReplies(by: delay)
        case (.deviceGone, let peer?): self = .forgetting(peer)
        case (.connectAborts(let times), let peer?): self = .aborting(peer, times: times)
        case (.servicesResolved(.early, _), let peer?): self = .resolving(peer, .early)
        case (.servicesResolved(.late, let delay), let peer?): self = .resolving(peer, .late(delay))
        case (.servicesResolved(.never, _), let peer?): self = .resolving(peer, .never)
        case (.staleAttributes, let peer?): self = .stale(peer)
        case (.otherConnection, let peer?): self = .connecting(peer)
        case (_, nil): return nil
        }
    }
}
