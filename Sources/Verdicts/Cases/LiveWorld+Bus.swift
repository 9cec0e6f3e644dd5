import Basics
import BlueZServer
import Drivers
import ScenarioModel
import VirtualWorld

extension LiveWorld {
    /// Records a call of a program to a played bluetoothd, or its reply, in the event log.
    func log(_ note: ServiceNote) {
        let (call, kind): (ServiceCall, BusRecord.Kind)
        switch note {
        case .received(let received): (call, kind) = (received, .called)
        case .answered(let answered, nil): (call, kind) = (answered, .replied)
        case .answered(let answered, let error?): (call, kind) = (answered, .refused(error.name, error.text))
        case .called, .failed, .turned: return
        }
        visit { world, now in
            world.journal.append(
                BusRecord(
                    kind, at: now, sender: call.sender, serial: call.serial, path: call.path,
                    interface: call.interface ?? "", member: call.member))
        }
    }
}
