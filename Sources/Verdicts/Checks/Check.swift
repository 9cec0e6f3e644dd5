import Bluetooth
import GATT
import LEHost

/// One question about a peripheral, and how it is asked.
///
/// The body is straight-line code above an `Examiner`: it returns when the peripheral passes, and throws what else
/// came of it.  When it begins, the peripheral has been heard, and the two have come as far as its scope says.
public struct Check: Identifiable, Sendable {
    /// How far the two have come when the body begins.
    enum Scope: Hashable, Sendable {
        /// The peripheral was heard.
        case advertising
        /// They are connected; nothing was asked.
        case link
        /// They are connected, and everything was discovered with the MTU of 23 that every connection begins with.
        case narrow
        /// They are connected, MTUs are exchanged, and everything was discovered.
        case connection

        /// The capability that a host needs for this scope; nil if each has it.
        var capability: CentralCapability? {
            switch self {
            case .advertising: .advertisements
            case .link, .narrow: .untouchedConnections
            case .connection: nil
            }
        }
    }

    /// How much a specification wants it.
    public enum Weight: Sendable {
        /// "Shall".
        case required
        /// "Should".
        case recommended
        /// What nobody does to a peripheral who keeps to the specification: it has to get over it.
        case robustness
    }

    /// What asks the question.
    typealias Body = @Sendable (inout Examiner) throws(CheckExit) -> Void

    /// A test case of the SIG's, `HRS/SEN/CN/BV-01-C`, or one of our own: `advertising/flags`.
    public let id: String
    /// What is asked, in a few words.
    public let title: String
    /// Which specification wants it, and where.
    public let requirement: String
    /// How far the two have come when the body begins.
    let scope: Scope
    /// What the peripheral has to claim, so that it is asked at all.
    let claims: [Claim]
    /// How much the specification wants it; what is not required is asked only where that is wished.
    public let weight: Weight
    let body: Body

    /// A check that a peripheral can pass.
    init(
        _ id: String, _ title: String, _ requirement: String, scope: Scope = .connection,
        weight: Weight = .required, if claims: Claim..., body: @escaping Body
    ) {
        (self.id, self.title, self.requirement, self.scope) = (id, title, requirement, scope)
        (self.claims, self.weight, self.body) = (claims, weight, body)
    }

    /// A check that is not asked of anybody yet, and why.
    init(_ id: String, _ title: String, _ requirement: String, unasked reason: Claim.Obstacle) {
        self.init(id, title, requirement, scope: .advertising, if: .nothing(but: reason)) { _ in }
    }

    /// Whether nobody is asked it yet.
    var isUnasked: Bool { claims.contains { if case .nothing = $0 { true } else { false } } }

    /// All of them, in the order in which they are asked.
    public static let all: [Check] =
        advertising + heartRateDeclarations + heartRateValues + heartRateControl + heartRateForms
        + thermometerDeclarations + thermometerValues + thermometerProcedures + deviceInformation + battery + vendor
        + sampleStreams + discovery + reading + readingRefused + writing + writingRefused + telling + caching + unknown
        + unaskedOfServers + reconnection + malformed + halfOpen + floods
}

/// What a peripheral shows that it has, so that it can be asked about it.
enum Claim: Hashable, Sendable {
    /// What cannot be played by now, whatever the peripheral has.
    enum Obstacle: String, Sendable {
        /// Needs keys from an earlier connection.
        case pairing = "needs pairing, which is not played yet"
        /// Is not about Low Energy.
        case classic = "is about BR/EDR, and this radio has Low Energy only"
        /// Is about a service that only others include.
        case secondary = "is about a secondary service, which no scenario has yet"
        /// Is about more than one bearer of ATT on a link.
        case enhanced = "is about enhanced bearers (EATT), which are not played"
        /// Is about a signature.
        case signature = "needs a signing key, which only pairing brings"
        /// Is about one of the two transports of a device that has both.
        case dualMode = "is about a device with BR/EDR and Low Energy, and this radio has Low Energy only"
        /// Is about ATT_MULTIPLE_HANDLE_VALUE_NTF.
        case multiple = "is about several values in one notification, which no scenario sends yet"
        /// Its variant is known to who has the SIG's test suite only.
        case variant = "is a variant that the SIG's reference list does not tell from others which are asked"
    }

    /// It has the service, or advertises it.
    case service(UUID)
    /// It has the characteristic in the service.
    case characteristic(UUID, of: UUID)
    /// It has the characteristic in the service, and says that it can be notified.
    case notified(UUID, of: UUID)
    /// It has the characteristic in the service, and says that it can be indicated.
    case indicated(UUID, of: UUID)
    /// It has the characteristic in the service, and does not say that it can be notified.
    case notNotified(UUID, of: UUID)
    /// It does not have the characteristic, though it has the service.
    case absence(UUID, of: UUID)
    /// Nobody can.
    case nothing(but: Obstacle)

    /// The service that it is about.
    var service: UUID? {
        switch self {
        case .service(let uuid): uuid
        case .characteristic(_, let service), .notified(_, let service), .indicated(_, let service),
            .notNotified(_, let service), .absence(_, let service):
            service
        case .nothing: nil
        }
    }

    /// Why a peripheral does not claim it; nil when it does.
    func unsupportedReason(_ peripheral: Examiner) -> String? {
        switch self {
        case .service(let uuid):
            if peripheral.services.contains(where: { $0.uuid == uuid }) { return nil }
            guard peripheral.advertised.services.contains(uuid) else {
                return "not claimed: it neither has nor advertises service \(uuid)"
            }
            return peripheral.host.unsupportedReason(for: .advertisements).map {
                "service \(uuid) was not found, and \($0)"
            }
        case .characteristic(let uuid, let service):
            return peripheral.find(uuid, of: service) == nil
                ? "not claimed: service \(service) has no characteristic \(uuid)" : nil
        case .notified(let uuid, let service):
            return unsupportedReason(peripheral, uuid, service, .notify, isThere: true)
        case .indicated(let uuid, let service):
            return unsupportedReason(peripheral, uuid, service, .indicate, isThere: true)
        case .notNotified(let uuid, let service):
            return unsupportedReason(peripheral, uuid, service, .notify, isThere: false)
        case .absence(let uuid, let service):
            return peripheral.find(uuid, of: service) == nil ? nil : "not claimed: service \(service) has \(uuid)"
        case .nothing(let obstacle): return obstacle.rawValue
        }
    }

    private func unsupportedReason(
        _ peripheral: Examiner, _ uuid: UUID, _ service: UUID, _ property: CharacteristicProperties,
        isThere: Bool
    ) -> String? {
        guard let found = peripheral.find(uuid, of: service) else {
            return "not claimed: service \(service) has no characteristic \(uuid)"
        }
        guard found.properties.contains(property) != isThere else { return nil }
        return "not claimed: \(uuid) is declared with\(isThere ? "out" : "") \(property.names)"
    }
}
