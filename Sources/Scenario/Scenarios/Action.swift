public import Bluetooth

/// What a rule does, and to what.
public struct Action: Hashable, Sendable {
    /// What is done.
    public var operation: Operation
    /// To what; nil for what is done to everything.
    public var entity: EntityReference?

    /// What is done, and to what.
    public init(_ operation: Operation, of entity: EntityReference? = nil) {
        (self.operation, self.entity) = (operation, entity)
    }

    /// Which action it is.
    public var kind: Kind { operation.kind }

    /// What is done to the action's thing; of what lasts, for as long as its rule does.
    public enum Operation: Hashable, Sendable {
        /// A device goes out of range without a word, and comes back.
        case linkLoss
        /// Nothing is notified of a device, a service or a part; connections, reading and writing go on.
        case silence
        /// A device does not advertise; connections go on.
        case stopAdvertising
        /// A device answers no request: those that come wait for the end.
        case stall
        /// The connections of a device end; the reason is one of Core 6.0, Vol 1, Part F.
        case disconnect(reason: Code?)
        /// A device goes to so many metres from the client, evenly; at once if it takes no time.
        case distance(to: Double, over: Duration)
        /// A device is heard so loud, in dBm, wherever it stands.
        case rssi(to: Value)
        /// So large a share of the packets from and to a device gets lost, beside what its distance costs.
        case loss(rate: Double)
        /// A device takes no ATT PDU of more octets, of who exchanges MTUs from now on.
        case mtu(to: Int)
        /// Requests that touch a thing are answered by an error; nil: all of them.
        case attError(on: Request?, error: Code)
        /// What is notified or indicated of a thing is sent so much later.
        case delay(by: Duration)
        /// What would be notified or indicated of a thing is not.
        case drop
        /// What is notified or indicated of a thing is sent twice.
        case duplicate
        /// Of so many values of a thing that follow each other, the last is sent first.
        case reorder(span: Int)
        /// Of what is notified or indicated of a part, only the first octets are sent.
        case truncate(to: Int)
        /// Behind what is notified or indicated of a part, these octets are sent.
        case lengthen(with: [UInt8])
        /// These octets are sent: as a value of a part, or as a whole PDU of a device.
        case raw(octets: [UInt8], channel: Channel?)
        /// A part is notified, whatever its period: so many times, with another value or with its own.
        case notify(times: Int, value: Value?)
        /// A part has another value.
        case set(to: Value)
        /// A device has some of its services no more, and then others: indices of ``Device/services``.
        case changeServices(add: [Int], remove: [Int], announce: Bool)
        /// A device has its attributes behind those of Generic Attribute so many handles further on.
        case moveHandles(by: Int, announce: Bool)
        /// A device has another address; one by chance if it is nil.
        case changeAddress(to: DeviceAddress?)
        /// The clock of a device is so many millionths too fast.
        case drift(ppm: Double)
        /// A part is notified so often in a second, whatever its period.
        case burst(rate: Double)
        /// An electrode of a device's electrocardiograms, or of one of them, does not touch.
        case leadOff
        /// The clock on the wall of a device's sensors is set forward.
        case skipTime(by: Duration)
        /// A second central connects to a device.
        case connect(to: EntityReference)
        /// The client's controller has no power.
        case powerOff
        /// The built-in client confirms no indication.
        case unconfirmed
        /// All ends that rules did to a thing and that still lasts.
        case clear
        /// Checked, and not played yet.
        case notPlayed(Kind)
    }

    /// What a client asks for.
    public enum Request: String, CaseIterable, Sendable {
        /// A value or a descriptor is read, also a part of one.
        case read
        /// A value is written, also in parts.
        case write
        /// Notifications or indications are asked for, or not wanted any more.
        case subscribe
        /// Services, characteristics or descriptors are looked for.
        case discover
    }

    /// A fixed channel of L2CAP.  Core 6.0, Vol 3, Part A, section 2.1.
    public enum Channel: String, CaseIterable, Sendable {
        /// The Attribute Protocol: CID 0x0004.
        case att
        /// The signaling channel: CID 0x0005.
        case signalling
        /// The Security Manager Protocol: CID 0x0006.
        case smp
    }

    /// The actions, as they are written.
    public enum Kind: String, CaseIterable, Sendable {
        /// Notifies nothing, and stays connected.
        case silence
        /// Answers no request.
        case stall
        /// Ends the connections.
        case disconnect
        /// Goes nearer or away.
        case distance
        /// Is heard this loud.
        case rssi
        /// Loses a share of the packets.
        case loss
        /// Takes no larger ATT MTU.
        case mtu
        /// Sends everything later.
        case delay
        /// Does not send.
        case drop
        /// Sends twice.
        case duplicate
        /// Sends in another order.
        case reorder
        /// Sends only the beginning.
        case truncate
        /// Sends more octets than belong there.
        case lengthen
        /// Sends these octets.
        case raw
        /// Notifies now.
        case notify
        /// Gives a part another value.
        case set
        /// Has a clock that is fast or slow.
        case drift
        /// Notifies as fast as this.
        case burst
        /// Connects, as a second central.
        case connect
        /// Does not confirm indications.
        case unconfirmed
        /// Ends what other rules did.
        case clear
        /// Goes out of range, without a word.
        case linkLoss = "link_loss"
        /// Does not advertise.
        case stopAdvertising = "stop_advertising"
        /// Answers requests with an error.
        case attError = "att_error"
        /// Has other services.
        case changeServices = "change_services"
        /// Has its attributes at other handles.
        case moveHandles = "move_handles"
        /// Forgets its keys.
        case forgetBond = "forget_bond"
        /// Has another address.
        case changeAddress = "change_address"
        /// Has an electrode that does not touch.
        case leadOff = "lead_off"
        /// Sets the sensors' wall clock forward.
        case skipTime = "skip_time"
        /// Has a controller without power.
        case powerOff = "power_off"

        /// Whether there is something that ends.
        public var lasts: Bool {
            switch self {
            case .disconnect, .raw, .notify, .changeServices, .moveHandles, .forgetBond, .changeAddress, .skipTime,
                .connect, .clear:
                false
            case .silence, .stall, .distance, .rssi, .loss, .mtu, .delay, .drop, .duplicate, .reorder, .truncate,
                .lengthen, .set, .drift, .burst, .unconfirmed, .linkLoss, .stopAdvertising, .attError, .leadOff,
                .powerOff:
                true
            }
        }
    }
}

extension Action.Operation {
    /// Which action it is.
    public var kind: Action.Kind {
        switch self {
        case .linkLoss: .linkLoss
        case .silence: .silence
        case .stopAdvertising: .stopAdvertising
        case .stall: .stall
        case .disconnect: .disconnect
        case .distance: .distance
        case .rssi: .rssi
        case .loss: .loss
        case .mtu: .mtu
        case .attError: .attError
        case .delay: .delay
        case .drop: .drop
        case .duplicate: .duplicate
        case .reorder: .reorder
        case .truncate: .truncate
        case .lengthen: .lengthen
        case .raw: .raw
        case .notify: .notify
        case .set: .set
        case .changeServices: .changeServices
        case .moveHandles: .moveHandles
        case .changeAddress: .changeAddress
        case .drift: .drift
        case .burst: .burst
        case .leadOff: .leadOff
        case .skipTime: .skipTime
        case .connect: .connect
        case .powerOff: .powerOff
        case .unconfirmed: .unconfirmed
        case .clear: .clear
        case .notPlayed(let kind): kind
        }
    }
}
