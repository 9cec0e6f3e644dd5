import Documents
import ScenarioLanguage
import ScenarioModel

/// Makes the entries of the words that the grammar has: kinds of objects, and keys.
struct GrammarEntries {
    typealias Embedding = @Sendable (Node) -> Node

    private(set) var entries: [ReferenceEntry] = []

    /// The keys of a sort of objects, of which `example` is one; `embedding` puts an object into a file.
    ///
    /// A key is shown in the example; in the example without a key that it excludes; or with the required keys only.
    mutating func add(
        _ fields: [Shape.Field], of place: ReferencePlace, _ group: ReferenceGroup, example: Node? = nil,
        embedding: @escaping Embedding
    ) {
        let required = fields.filter(\.isRequired).compactMap { field in
            (field.example ?? example?[field.key]).map { (key: field.key, node: $0) }
        }
        let kind = example?.pairs.first { pair in !fields.contains { $0.key == pair.key } }
        let least = Node.object((kind.map { [$0] } ?? []) + required)
        for field in fields {
            let value = field.example ?? example?[field.key]
            entries.append(
                ReferenceEntry(
                    group, field.key, "key", in: place, field.about, facts: Self.facts(of: field),
                    choices: field.shape.choices, example: value.map { .object([(field.key, $0)]) }
                ) {
                    guard let value else { return [] }
                    let whole = example ?? least
                    let others = whole.pairs.filter { pair in !least.pairs.contains { $0.key == pair.key } }
                    let bases = [whole] + others.map { whole.removing($0.key) } + [least]
                    return bases.map { embedding($0.setting(field.key, to: value)) }
                })
            descend(field.shape, value, place.within(field.key), group) { inner in
                embedding((example ?? least).setting(field.key, to: inner))
            }
        }
    }

    /// The keys of objects within a value.
    private mutating func descend(
        _ shape: Shape, _ value: Node?, _ place: ReferencePlace, _ group: ReferenceGroup,
        embedding: @escaping Embedding
    ) {
        switch shape {
        case .object(let fields): add(fields, of: place, group, example: value, embedding: embedding)
        case .list(let item, _):
            descend(item, value?.items.first, place, group) { embedding(Node(.array([$0]))) }
        case .any(let shapes): for shape in shapes { descend(shape, value, place, group, embedding: embedding) }
        default: break
        }
    }

    /// The kinds of a sort of objects, and their keys; `facts` are those of a kind.
    mutating func add(
        _ shape: Shape, _ sort: String, _ group: ReferenceGroup, facts: (String) -> [ReferenceEntry.Fact] = { _ in [] },
        embedding: @escaping Embedding
    ) {
        guard case .kinds(_, let kinds) = shape else { return }
        for kind in kinds {
            entries.append(
                ReferenceEntry(group, kind.name, sort, kind.about, facts: facts(kind.name), example: kind.example) {
                    kind.example.map { [embedding($0)] } ?? []
                })
            add(
                kind.fields, of: ReferencePlace(sort, kind.name), group, example: kind.example, embedding: embedding)
        }
    }

    private static func facts(of field: Shape.Field) -> [ReferenceEntry.Fact] {
        let type = ReferenceEntry.Fact("type", field.shape.words)
        if field.isRequired { return [type, ReferenceEntry.Fact("required", "yes")] }
        return [type] + (field.standard.map { [ReferenceEntry.Fact("default", "\($0)")] } ?? [])
    }
}

extension [ReferenceEntry] {
    /// The entries with one for the keys that several kinds of objects have with the same meaning.
    func merged() -> [ReferenceEntry] {
        var kinds: [String: Int] = [:]
        for entry in self where entry.place == nil { kinds[entry.sort, default: 0] += 1 }
        var merged: [ReferenceEntry] = []
        var places: [Key: Int] = [:]
        for entry in self {
            guard let place = entry.place, let name = place.names.first else {
                merged.append(entry)
                continue
            }
            let key = Key(
                group: entry.group, word: entry.word, about: entry.about, facts: entry.facts, sort: place.sort,
                inner: place.inner)
            if let index = places[key] {
                merged[index].place?.names.append(name)
            } else {
                places[key] = merged.count
                merged.append(entry)
            }
        }
        for index in merged.indices {
            guard let place = merged[index].place, place.names.count > 1 else { continue }
            merged[index].place?.isEverywhere = place.names.count == kinds[place.sort]
        }
        return merged
    }
}

/// The properties that two keys share if they are one.
private struct Key: Hashable {
    let group: ReferenceGroup
    let word: String
    let about: String
    let facts: [ReferenceEntry.Fact]
    let sort: String
    let inner: [String]
}

extension Node {
    /// The object without a key.
    fileprivate func removing(_ key: String) -> Node { .object(pairs.filter { $0.key != key }) }

    /// The object with another value of a key, or with a further key.
    func setting(_ key: String, to node: Node) -> Node {
        let known = pairs.contains { $0.key == key }
        return .object(pairs.map { $0.key == key ? (key, node) : $0 } + (known ? [] : [(key, node)]))
    }
}
