/// The exported objects of a connection.
struct ObjectTree: Sendable {
    private var objects: [ObjectPath: ExportedObject] = [:]
    private var managers: [ObjectPath] = []  // sorted

    /// Adds an object, replacing one at the same path.
    mutating func insert(_ object: ExportedObject) { objects[object.path] = object }

    /// Removes and returns an object.
    mutating func remove(_ path: ObjectPath) -> ExportedObject? { objects.removeValue(forKey: path) }

    /// Makes `path`, which need not be that of an object, the object manager of all objects below it.
    mutating func addManager(at path: ObjectPath) {
        if !managers.contains(path) { managers = (managers + [path]).sorted() }
    }

    mutating func removeManager(at path: ObjectPath) { managers.removeAll { $0 == path } }

    func object(at path: ObjectPath) -> ExportedObject? { objects[path] }

    func isManager(_ path: ObjectPath) -> Bool { managers.contains(path) }

    /// The object managers that announce the object at `path`.
    func managers(above path: ObjectPath) -> [ObjectPath] { managers.filter { path.isBelow($0) } }

    /// All objects below `path`, sorted by path.
    func objects(below path: ObjectPath) -> [ExportedObject] {
        objects.values.filter { $0.path.isBelow(path) }.sorted { $0.path < $1.path }
    }

    /// The next path elements below `path`, sorted; a node between objects need not be an object.
    func children(of path: ObjectPath) -> [String] {
        let start = path.text == "/" ? 1 : path.text.utf8.count + 1
        let names = (objects.keys.map(\.self) + managers).filter { $0.isBelow(path) }.map { below in
            String(below.text.dropFirst(start).prefix { $0 != "/" })
        }
        return Array(Set(names)).sorted()
    }

    /// Whether there is an object or manager at or below `path`.
    func contains(_ path: ObjectPath) -> Bool {
        objects[path] != nil || managers.contains { $0.isWithin(path) }
            || objects.keys.contains { $0.isBelow(path) }
    }

    /// Finds the method for a call and checks the types of its arguments.
    func method(
        _ member: MemberName, of interface: InterfaceName?, at path: ObjectPath, with arguments: [Value],
        whenSet: @escaping PropertySetHandler
    ) throws(MethodError) -> Method {
        let interfaces = standardInterfaces(at: path, whenSet: whenSet) + (objects[path]?.interfaces ?? [])
        let named = interfaces.filter { interface == nil || $0.name == interface }
        guard let method = named.lazy.flatMap(\.methods).first(where: { $0.name == member }) else {
            guard contains(path) else { throw MethodError(.unknownObject, "there is no object at \(path)") }
            guard !named.isEmpty else {
                throw MethodError(.unknownInterface, "the object at \(path) has no interface \(interface?.text ?? "")")
            }
            throw MethodError(.unknownMethod, "the object at \(path) has no method \(member)")
        }
        guard arguments.match(method.arguments.signature) else {
            let found = arguments.signatureText
            throw MethodError(.invalidArgs, "\(member) takes \"\(method.arguments.signature)\", not \(found)")
        }
        return method
    }
}
