/// A pattern for names: `*` matches any characters, including slashes, and `?` matches one character.
package struct Glob: Hashable, Sendable {
    private let pattern: [Character]

    package init(_ pattern: String) { self.pattern = Array(pattern) }

    package func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (position, next) = (0, 0)
        var star: (pattern: Int, name: Int)?  // the last `*`, and the end of its match
        while position < name.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, position)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[position] {
                (next, position) = (next + 1, position + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (next, position) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }
}
