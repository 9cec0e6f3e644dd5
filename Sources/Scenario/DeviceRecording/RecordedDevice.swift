import Basics
package import Bluetooth
package import Devices
package import GATT
package import HCI

/// A peripheral as a client saw it.
package struct RecordedDevice: Sendable {
    /// An attribute's value, and the access to it.
    package struct Content: Hashable, Sendable {
        /// Nil if it was not read.
        package var octets: [UInt8]?
        /// Why it could not be read.
        package var error: ATTError?
        /// The security that the peripheral demanded.
        package var security: LinkSecurity = []
    }

    /// A descriptor.
    package struct Descriptor: Hashable, Sendable {
        package var uuid: UUID
        package var handle: UInt16
        package var content: Content
    }

    /// A characteristic.
    package struct Characteristic: Hashable, Sendable {
        package var uuid: UUID
        package var properties: CharacteristicProperties
        /// Of its declaration.
        package var declaration: UInt16
        /// Of its value.
        package var handle: UInt16
        package var content: Content
        /// In the order of their handles.
        package var descriptors: [Descriptor] = []
        /// What it notified or indicated; times count from the subscription.
        package var notifications: [RecordedValues.Entry] = []
    }

    /// A service.
    package struct Service: Hashable, Sendable {
        package var uuid: UUID
        package var isPrimary: Bool
        package var handle: UInt16
        /// The handles of the services that it includes.
        package var includes: [UInt16] = []
        package var characteristics: [Characteristic] = []
    }

    /// Its Device Name, or the name that it advertises.
    package var name: String?
    /// Nil if the packets do not show it.
    package var address: DeviceAddress?
    /// Nil if it was not received.
    package var advertising: [UInt8]?
    /// Nil if it was not received.
    package var scanResponse: [UInt8]?
    package var isConnectable = true
    /// The advertising interval; nil if too few packets were received.
    package var interval: Duration?
    /// The connection parameters that the peripheral requested; nil if it accepted those of the client.
    package var timing: ConnectionTiming?
    /// The MTU that its server offered.
    package var mtu: UInt16?
    /// In the order of their handles.
    package var services: [Service] = []

    /// Nothing is known yet.
    package init() {}

    package var characteristics: [Characteristic] { services.flatMap(\.characteristics) }
}

extension RecordedDevice {
    /// Sorts attributes into services.
    mutating func add(_ capture: AttributeCapture) {
        var last: UInt16 = 0  // of the present service
        for handle in capture.handles {
            if let found = capture.services[handle] {
                services.append(Service(uuid: found.uuid, isPrimary: found.isPrimary, handle: handle))
                last = found.last
                continue
            }
            guard let place = services.indices.last, handle <= last else { continue }
            if let included = capture.includes[handle] {
                services[place].includes.append(included)
            } else if let found = capture.declarations[handle] {
                guard found.valueHandle > handle else { continue }
                services[place].characteristics.append(Characteristic(found, at: handle, capture))
            } else if let owner = services[place].characteristics.indices.last, let type = capture.types[handle],
                handle > services[place].characteristics[owner].handle
            {
                services[place].characteristics[owner].descriptors.append(
                    Descriptor(uuid: type, handle: handle, content: Content(handle, capture)))
            }
        }
        for service in services.indices {
            for place in services[service].characteristics.indices {
                services[service].characteristics[place].addNotifications(capture)
            }
        }
        mtu = capture.mtu
        let name = characteristics.first { $0.uuid == .deviceName }?.content.octets
        if let name { self.name = String(decoding: name, as: UTF8.self) }
    }
}

extension RecordedDevice.Characteristic {
    fileprivate init(_ found: CharacteristicDeclaration, at declaration: UInt16, _ capture: AttributeCapture) {
        (uuid, properties, handle, self.declaration) = (found.uuid, found.properties, found.valueHandle, declaration)
        content = RecordedDevice.Content(found.valueHandle, capture)
    }

    /// Adds what was received after the subscription, and the security that subscribing needed.
    fileprivate mutating func addNotifications(_ capture: AttributeCapture) {
        let configuration = descriptors.first { $0.uuid == .clientCharacteristicConfiguration }?.handle
        content.security.formUnion(configuration.flatMap { capture.demands[$0] } ?? [])
        let received = capture.notifications[handle] ?? []
        let begin = configuration.flatMap { capture.subscriptions[$0] } ?? received.first?.instant ?? .start
        for value in received {
            // Times have microseconds in files, and must rise.
            let microseconds = max(0, begin.duration(to: value.instant).inNanoseconds / 1000)
            let earliest = notifications.last.map { $0.time + .microseconds(1) } ?? .zero
            notifications.append(.init(at: max(.microseconds(microseconds), earliest), value.octets))
        }
    }
}

extension RecordedDevice.Content {
    fileprivate init(_ handle: UInt16, _ capture: AttributeCapture) {
        (octets, error) = (capture.values[handle], capture.errors[handle])
        security = capture.demands[handle] ?? []
    }
}
