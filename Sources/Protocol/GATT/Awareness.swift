import ATT
import Bluetooth

/// Whether a client knows the attributes as they are, and what it has said about itself: robust caching.
/// Core 6.0, Vol 3, Part G, section 2.5.2.1.
///
///     change-aware ◀──request, after the hash was read or Database Out Of Sync was sent──┐
///       │      ▲──────────────confirmation of Service Changed──────────────────────────┐ │
///       └──────────────────────the attributes change──────────────────────────────▶ change-unaware
struct Awareness: Sendable {
    private enum State { case aware, unaware(isTold: Bool, hasReadHash: Bool) }

    /// Client Supported Features, the bits that the specification defines.
    private(set) var features: UInt8 = 0
    private var state = State.aware

    private static let robustCaching: UInt8 = 0x01
    private static let defined: UInt8 = 0x07

    /// Whether commands are ignored, and values are neither notified nor indicated.
    var isOutOfSync: Bool {
        guard case .unaware = state else { return false }
        return features & Self.robustCaching != 0
    }

    /// A bit that is set stays set: false, and nothing is changed, for what would clear one.  Section 7.2.
    mutating func set(features wanted: UInt8) -> Bool {
        guard features & ~wanted == 0 else { return false }
        features = wanted & Self.defined
        return true
    }

    mutating func databaseChanged() { state = .unaware(isTold: false, hasReadHash: false) }

    mutating func serviceChangedConfirmed() { state = .aware }

    mutating func hashRead() {
        if case .unaware(let isTold, _) = state { state = .unaware(isTold: isTold, hasReadHash: true) }
    }

    /// A request has come: whether it has to be refused with Database Out Of Sync.
    mutating func isRefused(usingHandles: Bool) -> Bool {
        guard case .unaware(let isTold, let hasReadHash) = state else { return false }
        guard !isTold, !hasReadHash else {
            state = .aware
            return false
        }
        guard isOutOfSync, usingHandles else { return false }
        state = .unaware(isTold: true, hasReadHash: false)
        return true
    }
}

extension PDU {
    /// The first of the handles at which a request or command wants something done; nil for searches.
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
