package import Bluetooth

/// What a program of either role requests of the Bluetooth service.
package enum ProgramRequest: Sendable {
    indirect case central(CentralRequest)
    indirect case peripheral(PeripheralRequest)
    case pairing(PairingRequest)
}

/// What the Bluetooth service reports to a program of either role.
package enum ProgramEvent: Equatable, Sendable {
    indirect case central(CentralEvent)
    indirect case peripheral(PeripheralEvent)
    case pairing(PairingEvent)
}

/// What a program requests of the peripheral role of the Bluetooth service.
package enum PeripheralRequest: Sendable {
    /// A program has begun to use the service.
    case open
    /// A program has ended: its services and its advertising end.
    case close
    /// Publishes a service, by which the program refers to it with this number.
    indirect case add(LocalService, id: UInt32)
    /// Publishes services together, with consecutive numbers: all of them, or none.  A service includes earlier ones only.
    indirect case addAll([LocalService], firstID: UInt32)
    case remove(id: UInt32)
    case removeAll
    /// Changes the name of the machine: its GAP Device Name.
    case rename(String)
    /// Advertises also this, to which the program refers with this number.
    indirect case advertise(LocalAdvertisement, id: UInt32)
    case stopAdvertising(id: UInt32)
    /// Sends a value to subscribed centrals, or to all of them; `PeripheralEvent.updated` follows.
    indirect case update(CharacteristicID, [UInt8], to: [DeviceAddress]?)
    /// Answers a request of a central: with the octets from its offset on, or with an error.
    indirect case respond(request: UInt32, Result<[UInt8], ATTError>)
    case setLatency(ConnectionLatency, DeviceAddress)
    /// Ends the connection of a central.
    case disconnect(DeviceAddress)
}

/// A characteristic that a program has published.
package struct CharacteristicID: Hashable, Sendable {
    /// The program's number of the service.
    package let service: UInt32
    /// The index in the service.
    package let index: Int

    package init(service: UInt32, index: Int) { (self.service, self.index) = (service, index) }
}

/// How soon a peripheral can send to a central.
package enum ConnectionLatency: Sendable {
    case low, medium, high

    /// Apple does not document the intervals; these are 15, 90 and 495 ms.
    var parameters: ConnectionParameters {
        let interval: UInt16 =
            switch self {
            case .low: 12
            case .medium: 72
            case .high: 396
            }
        return ConnectionParameters(
            minimumInterval: interval, maximumInterval: interval, latency: 0, supervisionTimeout: 600)
    }
}

/// What the peripheral role of the Bluetooth service reports to a program.
package enum PeripheralEvent: Equatable, Sendable {
    /// The state of the radio has changed; a new program receives the present one.
    case state(RadioState)
    /// A service is published, or could not be; the first one, if several are published together.
    case added(id: UInt32, PeripheralFailure?)
    /// Advertising has begun, or could not.
    case advertising(id: UInt32, PeripheralFailure?)
    /// A central has connected.
    case connected(DeviceAddress)
    /// The MTU of a central that is connected.
    case exchangedMTU(DeviceAddress, Int)
    case subscribed(DeviceAddress, CharacteristicID)
    case unsubscribed(DeviceAddress, CharacteristicID)
    /// A central is not connected any more.
    case disconnected(DeviceAddress)
    /// A central accesses values, and waits for the answer to `request`; nil: it needs none.
    indirect case requested(DeviceAddress, [ValueAccess], request: UInt32?)
    /// A central has confirmed an indication.
    case confirmed(DeviceAddress, CharacteristicID)
    /// An update has left the queue.
    case updated
}

/// An access of a central to a value.
package struct ValueAccess: Equatable, Sendable {
    package let characteristic: CharacteristicID
    /// The index of the descriptor; nil: the access is to the value.
    package let descriptor: Int?
    package let offset: Int
    /// Nil: it reads.
    package let written: [UInt8]?

    /// The same access with other octets.
    package func writing(_ octets: [UInt8]) -> ValueAccess {
        ValueAccess(characteristic: characteristic, descriptor: descriptor, offset: offset, written: octets)
    }
}

/// Why a program's request of the peripheral role failed.
package enum PeripheralFailure: Error, Equatable, Sendable {
    /// The service is one of the system's.
    case uuidNotAllowed
    /// An included service has not been published.
    case unknownInclude
    /// There are no handles left, a value is too long, or an advertisement does not fit.
    case outOfSpace
    /// It advertises already, or the system advertises as much as it can.
    case alreadyAdvertising
    /// The controller refuses to advertise.
    case refused
}
