public import Scenarios

extension Action {
    /// Which action it is.
    var kind: Kind {
        switch self {
        case .set: .set
        case .disconnect: .disconnect
        case .silence: .silence
        case .notify: .notify
        case .clear: .clear
        case .skipTime: .skipTime
        case .leadOff: .leadOff
        case .notPlayed(let kind, _): kind
        }
    }

    /// To what it is done; nil for what is done to everything.
    public var thing: Thing? {
        switch self {
        case .set(let thing, _), .disconnect(let thing, _), .notify(let thing, _, _), .clear(let thing),
            .silence(let thing), .skipTime(let thing, _), .leadOff(let thing):
            thing
        case .notPlayed(_, let thing): thing
        }
    }
}
