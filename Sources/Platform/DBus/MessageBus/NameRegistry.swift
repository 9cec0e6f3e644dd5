/// The names of a bus, with their owners and the programs that wait for them.
///
/// Source: D-Bus Specification, "Message Bus Names".
struct NameRegistry<Program: Hashable & Sendable>: Sendable {
    /// The flags of `RequestName`.
    struct Request: OptionSet, Sendable {
        let rawValue: UInt32

        static var allowsReplacement: Request { Request(rawValue: 1) }
        static var replacesExisting: Request { Request(rawValue: 2) }
        static var doesNotWait: Request { Request(rawValue: 4) }
    }

    /// The results of `RequestName`.
    enum RequestResult: UInt32 {
        case primaryOwner = 1
        case inQueue, exists, alreadyOwner
    }

    /// The results of `ReleaseName`.
    enum ReleaseResult: UInt32 {
        case released = 1
        case nonExistent, notOwner
    }

    /// A change of ownership, for `NameOwnerChanged`; nil: nobody.
    struct Change: Equatable, Sendable {
        let name: BusName
        let former: Program?
        let present: Program?
    }

    private struct Claim: Sendable {
        let program: Program
        var request: Request
    }

    /// The owner of each name, followed by those that wait for it.
    private var claims: [BusName: [Claim]] = [:]
    /// The names that a program owns or waits for, in the order in which it got its place.
    private var claimed: [Program: [BusName]] = [:]

    func owner(of name: BusName) -> Program? { claims[name]?.first?.program }

    /// The owner of a name, and those that wait for it.
    func queue(of name: BusName) -> [Program] { claims[name]?.map(\.program) ?? [] }

    /// All names that have an owner.
    var names: [BusName] { claims.keys.sorted() }

    /// The number of names that a program owns or waits for.
    func count(of program: Program) -> Int { claimed[program]?.count ?? 0 }

    /// Requests a name for a program.
    mutating func request(
        _ name: BusName, for program: Program, _ request: Request
    ) -> (result: RequestResult, change: Change?) {
        var queue = claims[name] ?? []
        defer { claims[name] = queue }
        let place = queue.firstIndex { $0.program == program }
        if let place { queue[place].request = request }
        guard let owner = queue.first else {
            queue = [Claim(program: program, request: request)]
            claimed[program, default: []].append(name)
            return (.primaryOwner, Change(name: name, former: nil, present: program))
        }
        if place == 0 { return (.alreadyOwner, nil) }
        guard request.contains(.replacesExisting), owner.request.contains(.allowsReplacement) else {
            if request.contains(.doesNotWait) {
                if let place { drop(queue.remove(at: place), name) }
                return (.exists, nil)
            }
            if place == nil {
                queue.append(Claim(program: program, request: request))
                claimed[program, default: []].append(name)
            }
            return (.inQueue, nil)
        }
        if let place { drop(queue.remove(at: place), name) }
        if owner.request.contains(.doesNotWait) { drop(queue.removeFirst(), name) }
        queue.insert(Claim(program: program, request: request), at: 0)
        claimed[program, default: []].append(name)
        return (.primaryOwner, Change(name: name, former: owner.program, present: program))
    }

    /// Gives up a name, or a place in its queue.
    mutating func release(_ name: BusName, by program: Program) -> (result: ReleaseResult, change: Change?) {
        guard let queue = claims[name] else { return (.nonExistent, nil) }
        guard queue.contains(where: { $0.program == program }) else { return (.notOwner, nil) }
        return (.released, remove(program, from: name))
    }

    /// Gives up all names of a program that leaves the bus, the latest first.
    mutating func removeAll(of program: Program) -> [Change] {
        (claimed[program] ?? []).reversed().compactMap { remove(program, from: $0) }
    }

    private mutating func drop(_ claim: Claim, _ name: BusName) {
        claimed[claim.program]?.removeAll { $0 == name }
        if claimed[claim.program]?.isEmpty == true { claimed[claim.program] = nil }
    }

    private mutating func remove(_ program: Program, from name: BusName) -> Change? {
        guard var queue = claims[name], let place = queue.firstIndex(where: { $0.program == program }) else {
            return nil
        }
        drop(queue.remove(at: place), name)
        claims[name] = queue.isEmpty ? nil : queue
        guard place == 0 else { return nil }
        if let next = queue.first {  // it owns the name from now on
            drop(next, name)
            claimed[next.program, default: []].append(name)
        }
        return Change(name: name, former: program, present: queue.first?.program)
    }
}
