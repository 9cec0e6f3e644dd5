import GATT
import HCI
import LEHost
import Octets
import Peripheral
import Simulation

// What the hosts of devices say, and what their devices have to tell.
extension World {
    /// What the host of a device says, other than what it wants done below.
    mutating func deviceHostSaid(_ output: Host.Output, _ node: Int) {
        note(output, of: node)
        switch output {
        case .started: advertise(node, phase: 0)
        case .connected(let id, let complete):
            nodes[node].connected(id, complete.peer)
            advertise(node, phase: 0)
        case .disconnected(let id, _, _):
            nodes[node].disconnected(id, at: now, pool: &pool)
            advertise(node, phase: 0)
        case .server(let id, .exchangedMTU(let mtu)): nodes[node].exchanged(mtu: mtu, id)
        case .server(let id, .subscribed(let handle)): nodes[node].subscribed(handle, id, at: now)
        case .server(let id, .unsubscribed(let handle)), .server(let id, .orphaned(let handle)):
            nodes[node].unsubscribed(handle, id, at: now, pool: &pool)
        case .server(_, .confirmed(let handle)): nodes[node].confirmed(handle, at: now)
        case .server(_, .dropped(let handle)): nodes[node].dropped(handle, at: now)
        case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
        default: break
        }
        centralHostSaid(output, node)
        wakeDevice(node)
    }

    /// Lets out what a device tells, as the faults in force have it.
    mutating func notify(_ node: Int, _ notification: PeripheralDevice.Notification) {
        if nodes[node].notificationFaults.isActive {
            tamper(with: notification, of: node)
        } else {
            send(notification, of: node)
        }
    }

    /// Sends a value to who is subscribed to it.
    mutating func send(_ notification: PeripheralDevice.Notification, of node: Int) {
        guard hostBackend != .foreignHosts else { return hand(notification, toForeignHostOf: node) }
        noteNotified(notification, of: node)
        nodes[node].notify(notification.handle, notification.packet, at: now, pool: &pool, into: &hostOutbox)
        passOnHost(node)
    }

    /// Has one event for when the device next has something to do.
    mutating func wakeDevice(_ node: Int) {
        if nodes[node].device.saturatedValues.count > nodes[node].notedSaturatedValues { noteSaturatedValues(of: node) }
        if let ticket = nodes[node].deviceWake { cancel(ticket) }
        nodes[node].deviceWake = nodes[node].nextDue.map { schedule(.deviceWake(node: node), due: max($0, now)) }
    }
}
