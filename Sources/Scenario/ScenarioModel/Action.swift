package import Bluetooth
package import SecurityManager

// To add an action: a case of `Operation` and of `Kind`; its row in `ActionTable`; and the code that does it, in
// `World.playInSimulation` or, for one on values, in `World.playOnValues`.  `VirtualWorld/DeviceHosts` limits it elsewhere.

/// An action of a rule, and its target.
package struct Action: Hashable, Sendable {
    package var operation: Operation
    /// The target; nil for an action on everything.
    package var entity: EntityReference?

    package init(_ operation: Operation, of entity: EntityReference? = nil) {
        (self.operation, self.entity) = (operation, entity)
    }

    package var kind: Kind { operation.kind }

    /// The sorts of request that `att_error` and `stall` select by.
    package enum Request: String, CaseIterable, Sendable {
        /// Reads of values and descriptors, in whole or in part.
        case read
        /// Writes of values, in whole or in part.
        case write
        /// Writes of a Client Characteristic Configuration.
        case subscribe
        /// Discovery of services, characteristics and descriptors.
        case discover
        /// Exchange MTU.
        case mtu
    }

    /// The reaction of a user whom a device asks for a passkey, or shows a number.
    package enum Answer: String, CaseIterable, Sendable {
        /// Enters another passkey, or declares equal numbers different.
        case wrong
        /// Cancels.
        case cancel
        /// Enters the passkey of the earlier pairing.
        case earlier
        /// Does nothing.
        case never
    }

    /// The side that loses the keys of a bond.
    package enum Side: String, CaseIterable, Sendable {
        case device, client, both
    }

    /// The time that a restart takes, and the losses.
    package struct Restart: Hashable, Sendable {
        /// How long the device is off.
        package var off: Duration
        package var losesBonds: Bool
        /// Whether it forgets what bonded clients have subscribed to.
        package var losesSubscriptions: Bool

        package init(off: Duration, losesBonds: Bool = false, losesSubscriptions: Bool = false) {
            (self.off, self.losesBonds, self.losesSubscriptions) = (off, losesBonds, losesSubscriptions)
        }
    }

    /// A fixed channel of L2CAP.  Core 6.0, Vol 3, Part A, section 2.1.
    package enum Channel: String, CaseIterable, Sendable {
        /// The Attribute Protocol: CID 0x0004.
        case att
        /// The signaling channel: CID 0x0005.
        case signalling
        /// The Security Manager Protocol: CID 0x0006.
        case smp
    }
}

extension Action {
    /// An action with its arguments; its row in `Kind.row` describes it.
    package enum Operation: Hashable, Sendable {
        /// `link_loss`.
        case linkLoss
        /// `distance`: metres from the client, reached evenly within a duration.
        case distance(to: Double, over: Duration)
        /// `rssi`: the received signal strength in dBm; nil: the controllers do not know it.
        case rssi(to: Value?)
        /// `loss`: the share of packets that are lost, 0…1.
        case loss(rate: Double)
        /// `power_off`.
        case powerOff
        /// `stop_advertising`.
        case stopAdvertising
        /// `change_advertising`.
        case changeAdvertising(Advertising.Change)
        /// `change_address`: to a random static address if it is nil.
        case changeAddress(to: DeviceAddress?)
        /// `rotate_address`.
        case rotateAddress
        /// `connect`: of a central to a peripheral.
        case connect(to: EntityReference)
        /// `disconnect`: for a reason of Core 6.0, Vol 1, Part F.
        case disconnect(reason: Code?)
        /// `restart`.
        case restart(Restart)
        /// `silence`.
        case silence
        case valueFault(ValueFault)
        /// `burst`: notifications per second.
        case burst(rate: Double)
        /// `notify`: a number of times, with other octets than the present value's if `value` is not nil.
        case notify(times: Int, value: Value?)
        /// `raw`: the octets of a value or, on a channel, of a whole PDU.
        case raw(octets: [UInt8], channel: Channel?)
        /// `set`: the new value.
        case set(to: Value)
        /// `lead_off`.
        case leadOff
        /// `drift`: in parts per million.
        case drift(ppm: Double)
        /// `skip_time`: how far the clock moves forward.
        case skipTime(by: Duration)
        /// `stall`: of all requests if `on` is nil.
        case stall(on: Request?)
        /// `att_error`: for all requests if `on` is nil.
        case attError(on: Request?, error: Code)
        /// `mtu`: the largest ATT MTU, in octets.
        case mtu(to: Int)
        /// `move_handles`: by a number of handles.
        case moveHandles(by: Int, announce: Bool)
        /// `change_services`: indices of ``Device/services``.
        case changeServices(add: [Int], remove: [Int], announce: Bool)
        /// `forget_bond`.
        case forgetBond(Side)
        /// `refuse_pairing`: for a reason of Core 6.0, Vol 3, Part H, section 3.5.5.
        case refusePairing(reason: PairingFailedReason)
        /// `stall_pairing`: from a step on, for a duration or until the action ends.
        case stallPairing(at: PairingStep, by: Duration?)
        /// `alter_pairing`.
        case alterPairing(PairingAlteration)
        /// `wrong_key`.
        case wrongKey
        /// `request_security`.
        case requestSecurity
        /// `user`.
        case user(answers: Answer)
        /// `unconfirmed`.
        case unconfirmed
        /// `clear`.
        case clear
        case system(SystemFault)
    }

    /// A fault in the values that a device notifies and indicates.
    package enum ValueFault: Hashable, Sendable {
        /// `truncate`: to a number of octets.
        case truncate(to: Int)
        /// `lengthen`: with octets after the value.
        case lengthen(with: [UInt8])
        /// `drop`.
        case drop
        /// `duplicate`.
        case duplicate
        /// `reorder`: the last of `span` values goes first.
        case reorder(span: Int)
        /// `delay`.
        case delay(by: Duration)
    }

    /// The actions; the raw value is the word of the language.
    package enum Kind: String, CaseIterable, Sendable {
        /// Actions on the air and on connections.
        case linkLoss = "link_loss", distance, rssi, loss, powerOff = "power_off"
        case stopAdvertising = "stop_advertising", changeAdvertising = "change_advertising"
        case changeAddress = "change_address", rotateAddress = "rotate_address", connect, disconnect, restart
        /// Actions on what a device sends.
        case silence, drop, duplicate, delay, reorder, truncate, lengthen, burst, notify, raw, set,
            leadOff = "lead_off", drift, skipTime = "skip_time"
        /// Actions on a device's server, and on the client.
        case stall, attError = "att_error", mtu, moveHandles = "move_handles", changeServices = "change_services",
            unconfirmed, clear
        /// Actions on pairing and encryption.
        case forgetBond = "forget_bond", refusePairing = "refuse_pairing", stallPairing = "stall_pairing",
            alterPairing = "alter_pairing", wrongKey = "wrong_key", requestSecurity = "request_security", user
        /// Actions on the Bluetooth service of the client's system.
        case daemonAway = "daemon_away", adapterOff = "adapter_off", adapterUnplugged = "adapter_unplugged",
            discoveryStuck = "discovery_stuck", deviceGone = "device_gone", connectAborts = "connect_aborts",
            servicesResolved = "services_resolved", staleAttributes = "stale_attributes", otherScan = "other_scan",
            otherConnection = "other_connection", lateReplies = "late_replies", busAway = "bus_away"
    }
}

extension Action.Operation {
    package var kind: Action.Kind {
        switch self {
        case .linkLoss: .linkLoss
        case .distance: .distance
        case .rssi: .rssi
        case .loss: .loss
        case .powerOff: .powerOff
        case .stopAdvertising: .stopAdvertising
        case .changeAdvertising: .changeAdvertising
        case .changeAddress: .changeAddress
        case .rotateAddress: .rotateAddress
        case .connect: .connect
        case .disconnect: .disconnect
        case .restart: .restart
        case .silence: .silence
        case .valueFault(.truncate): .truncate
        case .valueFault(.lengthen): .lengthen
        case .valueFault(.drop): .drop
        case .valueFault(.duplicate): .duplicate
        case .valueFault(.reorder): .reorder
        case .valueFault(.delay): .delay
        case .burst: .burst
        case .notify: .notify
        case .raw: .raw
        case .set: .set
        case .leadOff: .leadOff
        case .drift: .drift
        case .skipTime: .skipTime
        case .stall: .stall
        case .attError: .attError
        case .mtu: .mtu
        case .moveHandles: .moveHandles
        case .changeServices: .changeServices
        case .forgetBond: .forgetBond
        case .refusePairing: .refusePairing
        case .stallPairing: .stallPairing
        case .alterPairing: .alterPairing
        case .wrongKey: .wrongKey
        case .requestSecurity: .requestSecurity
        case .user: .user
        case .unconfirmed: .unconfirmed
        case .clear: .clear
        case .system(let fault): fault.kind
        }
    }
}
