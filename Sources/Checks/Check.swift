import Bluetooth
import GATT

/// One question about a peripheral, and how it is asked.
///
/// The body is straight-line code above an `Examiner`: it returns when the peripheral passes, and throws what else
/// came of it.  When it begins, the peripheral has been heard, and the two have come as far as its scope says.
public struct Check: Sendable {
    /// How far the two have come when the body begins.
    enum Scope: Hashable, Sendable {
        /// The peripheral was heard.
        case advertising
        /// They are connected; nothing was asked.
        case link
        /// They are connected, MTUs are exchanged, and everything was discovered.
        case connection
    }

    /// What asks the question.
    typealias Body = @Sendable (inout Examiner) throws(Ending) -> Void

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
    /// Whether the specification only recommends it ("should").
    public let isRecommendation: Bool
    let body: Body

    /// A check that a peripheral can pass.
    init(
        _ id: String, _ title: String, _ requirement: String, scope: Scope = .connection,
        isRecommendation: Bool = false, if claims: Claim..., body: @escaping Body
    ) {
        (self.id, self.title, self.requirement, self.scope) = (id, title, requirement, scope)
        (self.claims, self.isRecommendation, self.body) = (claims, isRecommendation, body)
    }

    /// A check that is not asked of anybody yet, and why.
    init(_ id: String, _ title: String, _ requirement: String, unasked reason: Claim.Obstacle) {
        self.init(id, title, requirement, scope: .advertising, if: .nothing(but: reason)) { _ in }
    }

    /// Whether nobody is asked it yet.
    var isUnasked: Bool { claims.contains { if case .nothing = $0 { true } else { false } } }

    /// All of them, in the order in which they are asked.
    public static let all: [Check] =
        advertising + heartRateDeclarations + heartRateValues + heartRateControl + heartRateForms + deviceInformation
        + battery + discovery + attributes + reconnection
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
    }

    /// It has the service, or advertises it.
    case service(UUID)
    /// It has the characteristic in the service.
    case characteristic(UUID, of: UUID)
    /// It has the characteristic in the service, and says that it can be notified.
    case notified(UUID, of: UUID)
    /// It has the characteristic in the service, and does not say so.
    case notNotified(UUID, of: UUID)
    /// It does not have the characteristic, though it has the service.
    case absence(UUID, of: UUID)
    /// Nobody can.
    case nothing(but: Obstacle)

    /// Why a peripheral does not claim it; nil when it does.
    func whyNot(_ peripheral: Examiner) -> String? {
        switch self {
        case .service(let uuid):
            return peripheral.advertised.services.contains(uuid) || peripheral.services.contains { $0.uuid == uuid }
                ? nil : "not claimed: it neither has nor advertises service \(uuid)"
        case .characteristic(let uuid, let service):
            return peripheral.find(uuid, of: service) == nil
                ? "not claimed: service \(service) has no characteristic \(uuid)" : nil
        case .notified(let uuid, let service): return whyNot(peripheral, uuid, service, isNotified: true)
        case .notNotified(let uuid, let service): return whyNot(peripheral, uuid, service, isNotified: false)
        case .absence(let uuid, let service):
            return peripheral.find(uuid, of: service) == nil ? nil : "not claimed: service \(service) has \(uuid)"
        case .nothing(let obstacle): return obstacle.rawValue
        }
    }

    private func whyNot(
        _ peripheral: Examiner, _ uuid: UUID, _ service: UUID, isNotified: Bool
    ) -> String? {
        guard let found = peripheral.find(uuid, of: service) else {
            return "not claimed: service \(service) has no characteristic \(uuid)"
        }
        guard found.properties.contains(.notify) != isNotified else { return nil }
        return "not claimed: \(uuid) is declared with\(isNotified ? "out" : "") Notify"
    }
}
