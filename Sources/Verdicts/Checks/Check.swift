package import Bluetooth
package import GATT
import LEHost

/// A test of one requirement for a peripheral.
///
/// The body is straight-line code that uses an `Examiner`: it returns when the peripheral passes, and throws any other
/// result.  Before it starts, the examiner has reached the state that the scope requires.
package struct Check: Identifiable, Sendable {
    /// The state in which the body starts.
    package enum Scope: Hashable, Sendable {
        /// The examiner has received advertising.
        case advertising
        /// Connected; only checks of this scope have sent requests.
        case link
        /// Connected, with all attributes discovered; the MTU is 23, unless the peripheral has exchanged it.
        case narrow
        /// Connected, with the MTU exchanged and all attributes discovered.
        case connection
        /// As `link`, and no request was sent.
        case freshLink
        /// As `connection`, and no other check has used the connection.
        case freshConnection
        /// As `freshLink`, under an address that the peripheral does not know.
        case stranger

        /// The capability that a host needs to reach exactly this state; nil if each has it.
        var capability: CentralCapability? {
            switch self {
            case .advertising: .advertisements
            case .link, .narrow, .freshLink, .stranger: .untouchedConnections
            case .connection, .freshConnection: nil
            }
        }

        /// The same, but not shared with other checks.
        fileprivate var fresh: Self {
            switch self {
            case .link: .freshLink
            case .connection: .freshConnection
            case .advertising, .narrow, .freshLink, .freshConnection, .stranger: self
            }
        }

        /// Whether several checks may use one connection.
        var isShared: Bool {
            switch self {
            case .advertising, .freshLink, .freshConnection, .stranger: false
            case .link, .narrow, .connection: true
            }
        }
    }

    /// How strongly a specification requires it.
    package enum Weight: String, CaseIterable, Sendable {
        case required
        case recommended
        /// The check violates the specification on purpose, and the peripheral must survive that.
        case robustness
    }

    package typealias Body = @Sendable (inout Examiner) throws(CheckExit) -> Void

    /// The SIG's id of a test case, `HRS/SEN/CN/BV-01-C`, or one of Lubdub's: `advertising/flags`.
    package let id: String
    package let title: String
    /// The specification and the section that require it.
    package let requirement: String
    let scope: Scope
    /// Without these the check is skipped.
    private(set) var prerequisites: [Prerequisite]
    /// Checks that are not `required` run only with `isStrict`.
    package let weight: Weight
    /// The recording that the check can use so that it need not subscribe; nil if none.
    let recording: Recording.Need?
    /// Whether it is about a client without a bond.
    private(set) var avoidsBond = false
    let body: Body

    /// A check that a peripheral can pass.
    package init(
        _ id: String, _ title: String, _ requirement: String, scope: Scope = .connection,
        weight: Weight = .required, recording: Recording.Need? = nil, if prerequisites: Prerequisite...,
        body: @escaping Body
    ) {
        (self.id, self.title, self.requirement) = (id, title, requirement)
        self.scope = weight == .robustness ? scope.fresh : scope
        (self.weight, self.recording, self.prerequisites, self.body) = (weight, recording, prerequisites, body)
    }

    /// A check that is never run yet, because of a limitation.
    package init(_ id: String, _ title: String, _ requirement: String, limitation: Prerequisite.Limitation) {
        self.init(id, title, requirement, scope: .advertising, if: .impossible(limitation)) { _ in }
    }

    /// The same check, skipped if an earlier one was because it needed this.
    package func needing(_ need: Knowledge.Need?) -> Check {
        var check = self
        if let need { check.prerequisites.append(.need(need)) }
        return check
    }

    /// The same check, under an address with which the peripheral has no bond.
    package func withoutBond() -> Check {
        var check = self
        check.avoidsBond = true
        return check
    }
}

package enum Prerequisite: Hashable, Sendable {
    /// Why a check is never run, whatever the peripheral supports.
    package enum Limitation: String, Sendable {
        /// It is not about Low Energy.
        case classic = "not supported: BR/EDR"
        /// It is about several ATT bearers on one link.
        case enhanced = "not supported: enhanced bearers (EATT)"
        /// It is about signed writes.
        case signature = "not supported yet: signed writes"
        case dualMode = "not supported: devices with BR/EDR and Low Energy"
        /// It is about ATT_MULTIPLE_HANDLE_VALUE_NTF.
        case multiple = "not supported yet: several values in one notification"
        /// Lubdub's check has the same purpose.
        case crossing = "checked by robustness/two_requests_at_once"
    }

    /// The peripheral has or advertises the service.
    case service(UUID)
    /// The service has the characteristic, declared with these properties and perhaps others.
    case characteristic(UUID, of: UUID, with: CharacteristicProperties = [])
    /// The service does not have the characteristic.
    case absence(UUID, of: UUID)
    /// The peripheral is a scenario's, so that the check can do this: `set the heart rate`.
    case control(String)
    /// The peripheral does not reject each pairing, and the host lets the examiner pair.
    case pairing
    /// No earlier check was skipped because it needed this.
    case need(Knowledge.Need)
    /// No peripheral meets it.
    case impossible(Limitation)

    package static let deviceName = Prerequisite.characteristic(.deviceName, of: .genericAccess)

    var service: UUID? {
        switch self {
        case .service(let uuid): uuid
        case .characteristic(_, let service, _), .absence(_, let service): service
        case .control, .pairing, .need, .impossible: nil
        }
    }

    /// Why a peripheral does not meet the condition; nil if it does.
    func unsupportedReason(_ peripheral: Examiner) -> String? {
        switch self {
        case .service(let uuid):
            if peripheral.services.contains(where: { $0.uuid == uuid }) { return nil }
            guard peripheral.advertised.services.contains(uuid) else {
                return "not applicable: no \(uuid.name) service"
            }
            return peripheral.host.unsupportedReason(for: .advertisements).map {
                "the \(uuid.name) service is advertised but was not found; \($0)"
            }
        case .characteristic(let uuid, let service, let properties):
            guard let found = peripheral.find(uuid, of: service) else {
                let hasService = peripheral.services.contains { $0.uuid == service }
                return "not applicable: "
                    + (hasService ? "\(service.name) has no \(uuid.name)" : "no \(service.name) service")
            }
            guard !found.properties.isSuperset(of: properties) else { return nil }
            return "not applicable: \(uuid.name) is declared without \(properties.names)"
        case .absence(let uuid, let service):
            return peripheral.find(uuid, of: service) == nil ? nil : "not applicable: there is a \(uuid.name)"
        case .control(let description):
            return peripheral.host.simulated == nil ? "cannot \(description) of a real peripheral" : nil
        case .pairing:
            return peripheral.host.unsupportedReason(for: .pairing) ?? peripheral.knowledge.skipReason(for: self)
        case .need: return peripheral.knowledge.skipReason(for: self)
        case .impossible(let limitation): return limitation.rawValue
        }
    }
}
