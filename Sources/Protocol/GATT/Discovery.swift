import ATT
import Bluetooth

/// What the server knows of the client's discovery: which procedure it uses, and whether it has started and not finished.
///
/// A client discovers primary services, all or those of a kind: Core 6.0, Vol 3, Part G, section 4.4.  It may also search
/// all handles for declarations, or for all attributes, instead: Part F, sections 3.4.3.1 and 3.4.4.1.  Such searches are part of
/// a discovery by another procedure if that one came first.
struct Discovery: Hashable, Sendable {
    enum Procedure: Hashable, Sendable {
        /// Read By Group Type or Find By Type Value, of primary services.
        case services
        /// Read By Type, of these declarations.
        case declarations(UUID)
        /// Find Information.
        case attributes

        /// The procedure that reads each attribute of a type; nil if that is not a discovery.
        init?(readingEach type: UUID) {
            guard type == .primaryService || type == .characteristic else { return nil }
            self = .declarations(type)
        }
    }

    enum Progress: Hashable, Sendable {
        case started
        case finished
        /// An injected error interrupted it.
        case broken
    }

    /// That of the connection's last discovery; nil before the first.
    private(set) var procedure: Procedure?
    /// Whether a discovery has started and not finished.
    private(set) var isRunning = false

    /// Whether a request of a procedure belongs to a discovery.
    func includes(_ procedure: Procedure, _ range: HandleRange) -> Bool {
        if procedure == .services { return true }
        guard range.last == HandleRange.all.last, self.procedure.map({ $0 == procedure }) ?? true else { return false }
        return isRunning || range.first == HandleRange.all.first
    }

    /// Notes a request that belongs to a discovery, and returns whether it starts one.
    mutating func note(_ procedure: Procedure, _ progress: Progress) -> Bool {
        let starts = !isRunning
        (self.procedure, isRunning) = (procedure, progress == .started)
        return starts
    }
}

extension Server {
    mutating func noteSearch(by procedure: Discovery.Procedure, _ progress: Discovery.Progress) {
        if discovery.note(procedure, progress) { events.append(.discovering) }
        if progress == .finished { events.append(.discovered) }
    }
}
