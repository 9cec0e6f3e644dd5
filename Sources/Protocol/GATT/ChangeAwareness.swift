import ATT
import Bluetooth

/// Robust caching: whether a client is change-aware, and its Client Supported Features.
/// Core 6.0, Vol 3, Part G, section 2.5.2.1.
///
///     change-aware ◀──request, after the hash was read or Database Out Of Sync was sent──┐
///       │      ▲──────────────confirmation of Service Changed──────────────────────────┐ │
///       └──────────────────────the attributes change──────────────────────────────▶ change-unaware
struct ChangeAwareness: Sendable {
    private enum State { case aware, unaware(isErrorSent: Bool, hasReadHash: Bool) }

    /// The defined bits of Client Supported Features.
    private(set) var features: UInt8 = 0
    private var state = State.aware

    private static let robustCaching: UInt8 = 0x01
    private static let defined: UInt8 = 0x07

    /// A client without any feature, which is change-aware.
    init() {}

    /// A client that was known in an earlier connection.
    init(features: UInt8, isAware: Bool) {
        self.features = features & Self.defined
        if !isAware { databaseChanged() }
    }

    var isAware: Bool { if case .aware = state { true } else { false } }

    /// Whether the server ignores commands, and neither notifies nor indicates.
    var isOutOfSync: Bool {
        guard case .unaware = state else { return false }
        return features & Self.robustCaching != 0
    }

    /// Sets bits; returns false, and changes nothing, if `value` would clear one.  Section 7.2.
    mutating func set(features value: UInt8) -> Bool {
        guard features & ~value == 0 else { return false }
        features = value & Self.defined
        return true
    }

    mutating func databaseChanged() { state = .unaware(isErrorSent: false, hasReadHash: false) }

    mutating func serviceChangedConfirmed() { state = .aware }

    mutating func hashRead() {
        if case .unaware(let isErrorSent, _) = state { state = .unaware(isErrorSent: isErrorSent, hasReadHash: true) }
    }

    /// Whether the server must answer this request with Database Out Of Sync.
    mutating func isRejected(usingHandles: Bool) -> Bool {
        guard case .unaware(let isErrorSent, let hasReadHash) = state else { return false }
        guard !isErrorSent, !hasReadHash else {
            state = .aware
            return false
        }
        guard isOutOfSync, usingHandles else { return false }
        state = .unaware(isErrorSent: true, hasReadHash: false)
        return true
    }
}

extension PDU {
    /// The first handle that a request or command accesses; nil for discovery requests.
    var handleInUse: UInt16? {
        switch self {
        case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
            .writeCommand(let handle, _), .prepareWriteRequest(let handle, _, _):
            handle
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles.first
        case .readByTypeRequest(let range, let type) where type != .include && type != .characteristic && range != .all:
            range.first
        default: nil
        }
    }
}
