/// The name of which a word has a part with the same beginning: `connected` for `on_connect`; the nearest of several.
func relatedName(to word: String, in names: [String]) -> String? {
    guard word.utf8.count <= 256, names.count <= 1000 else { return nil }
    let parts = parts(of: word)
    return
        names
        .compactMap { name in
            Documents.parts(of: name).flatMap { own in parts.compactMap { difference($0, own) } }.min()
                .map { (name: name, difference: $0) }
        }
        .min { ($0.difference, $0.name.count) < ($1.difference, $1.name.count) }?.name
}

private func parts(of word: String) -> [String] {
    word.lowercased().split { !$0.isLetter }.map(String.init)
}

/// How much two words differ in length, if they begin with the same letters, four or more and most of the shorter word.
private func difference(_ one: String, _ other: String) -> Int? {
    let common = zip(one, other).prefix { $0 == $1 }.count
    guard common >= 4, 3 * common >= 2 * min(one.count, other.count) else { return nil }
    return abs(one.count - other.count)
}
