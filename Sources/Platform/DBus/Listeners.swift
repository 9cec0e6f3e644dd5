/// Subscriptions to signals and to owners of names.
struct Listeners {
    typealias SignalHandler = @Sendable (Signal) -> Void
    typealias OwnerHandler = @Sendable (BusName?) -> Void

    /// One subscription.
    struct Listener {
        let number: UInt64
        let kind: Kind
        var reported: BusName??  // the owner with which the handler was called last
    }

    enum Kind {
        case signals(MatchRule, SignalHandler)
        case owner(BusName, OwnerHandler)
    }

    /// The owners of the names that are listened for; `.some(nil)`: the name has no owner.
    private(set) var owners: [BusName: BusName?] = [:]
    private(set) var all: [Listener] = []  // in the order of subscription
    private var made: UInt64 = 0

    mutating func add(_ kind: Kind) -> UInt64 {
        made += 1
        all.append(Listener(number: made, kind: kind, reported: nil))
        return made
    }

    /// Removes a listener and returns the rules that it has at the bus.
    mutating func remove(_ number: UInt64) -> [MatchRule] {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return [] }
        let kind = all.remove(at: index).kind
        if let name = kind.name, !all.contains(where: { $0.kind.name == name }) { owners.removeValue(forKey: name) }
        return kind.rules
    }

    func contains(_ number: UInt64) -> Bool { all.contains { $0.number == number } }

    /// Sets the owner of `name`, and returns the listeners that do not know it yet.
    mutating func note(_ owner: BusName?, of name: BusName) -> [(UInt64, OwnerHandler)] {
        guard all.contains(where: { $0.kind.name == name }) else { return [] }
        owners.updateValue(owner, forKey: name)
        var news: [(UInt64, OwnerHandler)] = []
        for index in all.indices {
            guard case .owner(name, let handler) = all[index].kind, all[index].reported != .some(owner) else {
                continue
            }
            all[index].reported = .some(owner)
            news.append((all[index].number, handler))
        }
        return news
    }

    /// The listeners whose rule matches a signal.
    func listeners(to signal: Signal) -> [(UInt64, SignalHandler)] {
        all.compactMap { listener in
            guard case .signals(let rule, let handler) = listener.kind,
                rule.matches(signal, owner: { owners[$0] ?? nil })
            else { return nil }
            return (listener.number, handler)
        }
    }
}

extension Listeners.Kind {
    /// The well-known name whose owner must be known.
    var name: BusName? {
        switch self {
        case .owner(let name, _): name
        case .signals(let rule, _): rule.sender.flatMap { $0.isUnique || $0 == .bus ? nil : $0 }
        }
    }

    /// The match rules that the bus needs for it.
    var rules: [MatchRule] {
        let changes = name.map { name in
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: .nameOwnerChanged, firstArgument: name.text)
        }
        return switch self {
        case .owner: [changes].compactMap(\.self)
        case .signals(let rule, _): [changes, rule].compactMap(\.self)
        }
    }
}

extension MemberName {
    static let nameOwnerChanged: MemberName = "NameOwnerChanged"
}
