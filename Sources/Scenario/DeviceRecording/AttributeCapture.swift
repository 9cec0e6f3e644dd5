import ATT
import Basics
import Bluetooth
import GATT

/// What the ATT PDUs of a connection show of a server's attributes.  Core 6.0, Vol 3, Part F, section 3.4; Part G, section 3.
struct AttributeCapture {
    /// The declaration of a service.
    struct Service {
        /// The last handle of the service.
        var last: UInt16
        var uuid: UUID
        var isPrimary: Bool
    }

    /// A value that the server sent without a request.
    struct Notification {
        let instant: Instant
        let octets: [UInt8]
    }

    /// By the handles of their declarations.
    private(set) var services: [UInt16: Service] = [:]
    /// The handles of the included services, by the handles of the include declarations.
    private(set) var includes: [UInt16: UInt16] = [:]
    /// The values of characteristic declarations, by their handles.
    private(set) var declarations: [UInt16: CharacteristicDeclaration] = [:]
    /// The types of attributes, as far as they are known otherwise than by a declaration.
    private(set) var types: [UInt16: UUID] = [:]
    private(set) var values: [UInt16: [UInt8]] = [:]
    /// The last error of a read.
    private(set) var errors: [UInt16: ATTError] = [:]
    /// The security that the server demands.
    private(set) var demands: [UInt16: LinkSecurity] = [:]
    /// When a client enabled notifications or indications, by the handle of the configuration.
    private(set) var subscriptions: [UInt16: Instant] = [:]
    private(set) var notifications: [UInt16: [Notification]] = [:]
    /// The MTU that the server offers.
    private(set) var mtu: UInt16?
    /// The octets of all notifications.
    private(set) var notifiedCount = 0

    var isEncrypted = false
    private var request: PDU?
    /// The last handles of included services whose UUID has 128 bits, which clients read from their declarations.
    private var unnamed: [UInt16: UInt16] = [:]

    /// The handles of all known attributes, in order.
    var handles: [UInt16] {
        Set(services.keys).union(includes.keys).union(declarations.keys).union(types.keys).sorted()
    }

    /// A connection has begun.
    mutating func connect() { (isEncrypted, request) = (false, nil) }

    /// Takes a PDU from the client.
    mutating func takeRequest(_ pdu: PDU) {
        switch pdu {
        case .handleValueConfirmation, .writeCommand, .signedWriteCommand: break
        default: request = pdu
        }
    }

    /// Takes a PDU from the server.
    mutating func takeResponse(_ pdu: PDU, at now: Instant) {
        switch pdu {
        case .handleValueNotification(let handle, let octets), .handleValueIndication(let handle, let octets):
            return keep(octets, of: handle, at: now)
        case .multipleHandleValueNotification(let values):
            for value in values { keep(value.value, of: value.handle, at: now) }
            return
        default: break
        }
        guard let request else { return }
        self.request = nil
        switch (request, pdu) {
        case (.exchangeMTURequest, .exchangeMTUResponse(let size)): mtu = size
        case (.readByGroupTypeRequest(_, let type), .readByGroupTypeResponse(let groups)): take(groups, of: type)
        case (.findByTypeValueRequest(_, 0x2800, let value), .findByTypeValueResponse(let ranges)):
            take(ranges.map { GroupData($0, value) }, of: .primaryService)
        case (.readByTypeRequest(_, let type), .readByTypeResponse(let entries)):
            for entry in entries { take(entry.value, of: entry.handle, type: type) }
        case (.findInformationRequest, .findInformationResponse(let found)):
            for attribute in found { types[attribute.handle] = attribute.type }
        case (.readRequest(let handle), .readResponse(let octets)):
            if let last = unnamed[handle], let uuid = UUID(octets: octets) {
                services[handle] = Service(last: last, uuid: uuid, isPrimary: false)
            } else {
                take(octets, of: handle, type: types[handle])
            }
        case (.readBlobRequest(let handle, let offset), .readBlobResponse(let octets)):
            // In place: a copy for each part would take time that grows with the square of the value's length.
            if values[handle]?.count ?? 0 >= Int(offset) {
                values[handle, default: []].replaceSubrange(Int(offset)..., with: octets)
            }
        case (.writeRequest(let handle, let octets), .writeResponse):
            if octets.count == 2, octets[0] & 3 != 0, subscriptions[handle] == nil { subscriptions[handle] = now }
        case (_, .errorResponse(_, let handle, let error)): take(error, of: handle, for: request)
        default: break
        }
    }

    private mutating func keep(_ octets: [UInt8], of handle: UInt16, at now: Instant) {
        notifications[handle, default: []].append(Notification(instant: now, octets: octets))
        notifiedCount += octets.count
    }

    private mutating func take(_ groups: [GroupData], of type: UUID) {
        for group in groups where group.range.isValid {
            guard let uuid = UUID(octets: group.value) else { continue }
            services[group.range.first] = Service(
                last: group.range.last, uuid: uuid, isPrimary: type == .primaryService)
        }
    }

    private mutating func take(_ octets: [UInt8], of handle: UInt16, type: UUID?) {
        errors[handle] = nil
        switch type {
        case .characteristic?: declarations[handle] = try? CharacteristicDeclaration(octets: octets)
        case .include?: take(include: octets, of: handle)
        default:
            if let type { types[handle] = type }
            // A response to Read By Type can be cut off.
            if octets.count >= values[handle]?.count ?? 0 || type == nil { values[handle] = octets }
        }
    }

    private mutating func take(include octets: [UInt8], of handle: UInt16) {
        guard let include = try? IncludeDeclaration(octets: octets), include.range.isValid else { return }
        let range = include.range
        includes[handle] = range.first
        guard services[range.first] == nil else { return }
        if let uuid = include.uuid {
            services[range.first] = Service(last: range.last, uuid: uuid, isPrimary: false)
        } else {
            unnamed[range.first] = range.last
        }
    }

    private mutating func take(_ error: ATTError, of handle: UInt16, for request: PDU) {
        switch error {
        case .insufficientAuthentication, .insufficientEncryption:
            let security: LinkSecurity = isEncrypted ? [.encrypted, .authenticated] : .encrypted
            demands[handle, default: []].formUnion(security)
        case .encryptionKeySizeTooShort: demands[handle, default: []].formUnion([.encrypted, .fullKeySize])
        case .insufficientAuthorization: demands[handle, default: []].formUnion(.authorized)
        default: break
        }
        if case .readRequest = request, values[handle] == nil { errors[handle] = error }
    }
}
