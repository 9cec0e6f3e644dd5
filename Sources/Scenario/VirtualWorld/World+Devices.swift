import GATT
import HCI
import LEHost
import Octets
import Peripheral
import Simulation

// The outputs of the devices' hosts, and the values that the devices send.
extension World {
    /// Handles an output of a device's host, other than a packet or a timer.
    mutating func handle(_ output: Host.Output, ofDevice node: Int) {
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
        case .server(_, .confirmed(let handle)): nodes[node].device.indicationWasConfirmed(of: handle, at: now)
        case .server(_, .dropped(let handle)): nodes[node].device.indicationWasDropped(of: handle, at: now)
        case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
        default: break
        }
        handle(output, ofCentral: node)
        wakeDevice(node)
    }

    /// Sends a value of a device, subject to its faults; takes the packet.
    mutating func notify(_ node: Int, _ notification: PeripheralDevice.Notification) {
        if nodes[node].notificationFaults.isActive {
            applyFaults(to: notification, of: node)
        } else {
            send(notification, of: node)
        }
    }

    /// Sends a value to its subscribers; takes the packet.
    mutating func send(_ notification: PeripheralDevice.Notification, of node: Int) {
        guard hostBackend != .foreignHosts else { return send(notification, throughForeignHostOf: node) }
        noteNotified(notification, of: node)
        nodes[node].notify(notification.handle, notification.packet, at: now, pool: &pool, into: &hostOutbox)
        forwardHostOutputs(of: node)
    }

    /// Schedules one event for when the device next has something to do.
    mutating func wakeDevice(_ node: Int) {
        if nodes[node].hasNewSaturatedValues { noteSaturatedValues(of: node) }
        if let ticket = nodes[node].deviceWake { cancel(ticket) }
        nodes[node].deviceWake = nodes[node].nextDue.map { schedule(.deviceWake(node: node), due: max($0, now)) }
    }
}
