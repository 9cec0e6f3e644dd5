/// What is exported on one connection, and what can be called at each path.
struct ObjectTree: Sendable {
    private var objects: [ObjectPath: ExportedObject] = [:]
    private var managers: [ObjectPath] = []  // sorted

    /// Adds an object, in place of one that was there.
    mutating func insert(_ object: ExportedObject) { objects[object.path] = object }

    /// What was there.
    mutating func remove(_ path: ObjectPath) -> ExportedObject? { objects.removeValue(forKey: path) }

    /// Makes the object at `path`, which need not be exported, the manager of all below it.
    mutating func manage(_ path: ObjectPath) {
        if !managers.contains(path) { managers = (managers + [path]).sorted() }
    }

    mutating func unmanage(_ path: ObjectPath) { managers.removeAll { $0 == path } }

    func object(at path: ObjectPath) -> ExportedObject? { objects[path] }

    func isManager(_ path: ObjectPath) -> Bool { managers.contains(path) }

    /// Those who tell of the object at `path`.
    func managers(above path: ObjectPath) -> [ObjectPath] { managers.filter { path.isBelow($0) } }

    /// All below `path`, sorted by path.
    func objects(below path: ObjectPath) -> [ExportedObject] {
        objects.values.filter { $0.path.isBelow(path) }.sorted { $0.path < $1.path }
    }

    /// The next elements of the paths below `path`, sorted; nodes on the way to an object need not be objects.
    func children(of path: ObjectPath) -> [String] {
        let start = path.text == "/" ? 1 : path.text.utf8.count + 1
        let names = (objects.keys.map(\.self) + managers).filter { $0.isBelow(path) }.map { below in
            String(below.text.dropFirst(start).prefix { $0 != "/" })
        }
        return Array(Set(names)).sorted()
    }

    /// Whether there is anything at or below `path`.
    func contains(_ path: ObjectPath) -> Bool {
        objects[path] != nil || managers.contains { $0.isWithin(path) }
            || objects.keys.contains { $0.isBelow(path) }
    }

    /// What a call at a path is for: a method and its arguments, or why there is none.
    func method(
        _ member: MemberName, of interface: InterfaceName?, at path: ObjectPath, with arguments: [Value],
        whenSet: @escaping WhenSet
    ) throws(Refusal) -> Method {
        let interfaces = standardInterfaces(at: path, whenSet: whenSet) + (objects[path]?.interfaces ?? [])
        let named = interfaces.filter { interface == nil || $0.name == interface }
        guard let method = named.lazy.flatMap(\.methods).first(where: { $0.name == member }) else {
            guard contains(path) else { throw Refusal(.unknownObject, "there is no object at \(path)") }
            guard !named.isEmpty else {
                throw Refusal(.unknownInterface, "the object at \(path) has no interface \(interface?.text ?? "")")
            }
            throw Refusal(.unknownMethod, "the object at \(path) has no method \(member)")
        }
        guard arguments.match(method.arguments.signature) else {
            let found = arguments.signatureText
            throw Refusal(.invalidArgs, "\(member) takes \"\(method.arguments.signature)\", and was given \(found)")
        }
        return method
    }
}
