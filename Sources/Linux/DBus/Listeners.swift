/// Who wants to hear of which signals and names.
struct Listeners {
    typealias SignalHandler = @Sendable (Signal) -> Void
    typealias OwnerHandler = @Sendable (BusName?) -> Void

    /// One who listens.
    struct Listener {
        let number: UInt64
        let kind: Kind
        var told: BusName??  // what the handler was told last
    }

    enum Kind {
        case signals(MatchRule, SignalHandler)
        case owner(BusName, OwnerHandler)
    }

    /// Who owns a name that somebody listens for; `.some(nil)`: nobody does.
    private(set) var owners: [BusName: BusName?] = [:]
    private(set) var all: [Listener] = []  // in the order in which they came
    private var made: UInt64 = 0

    mutating func add(_ kind: Kind) -> UInt64 {
        made += 1
        all.append(Listener(number: made, kind: kind, told: nil))
        return made
    }

    /// The rules that it had at the bus.
    mutating func remove(_ number: UInt64) -> [MatchRule] {
        guard let index = all.firstIndex(where: { $0.number == number }) else { return [] }
        let kind = all.remove(at: index).kind
        if let name = kind.name, !all.contains(where: { $0.kind.name == name }) { owners.removeValue(forKey: name) }
        return kind.rules
    }

    func contains(_ number: UInt64) -> Bool { all.contains { $0.number == number } }

    /// Takes note of who owns `name`, and says whom to tell: those who listen for it and do not know yet.
    mutating func note(_ owner: BusName?, of name: BusName) -> [(UInt64, OwnerHandler)] {
        guard all.contains(where: { $0.kind.name == name }) else { return [] }
        owners.updateValue(owner, forKey: name)
        var news: [(UInt64, OwnerHandler)] = []
        for index in all.indices {
            guard case .owner(name, let handler) = all[index].kind, all[index].told != .some(owner) else { continue }
            all[index].told = .some(owner)
            news.append((all[index].number, handler))
        }
        return news
    }

    /// Those whose rule wants a signal.
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
    /// The name whose owner has to be known.
    var name: BusName? {
        switch self {
        case .owner(let name, _): name
        case .signals(let rule, _): rule.sender.flatMap { $0.isUnique || $0 == .bus ? nil : $0 }
        }
    }

    /// What the bus has to send for it.
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
