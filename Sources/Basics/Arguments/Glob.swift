/// A pattern for names, in which `*` stands for any characters, slashes too, and `?` for one.
public struct Glob: Hashable, Sendable {
    private let pattern: [Character]

    /// The pattern as it was typed.
    public init(_ pattern: String) { self.pattern = Array(pattern) }

    /// Whether the whole of a name is like this.
    public func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (place, next) = (0, 0)
        var star: (pattern: Int, name: Int)?  // the last `*`, and what it took so far
        while place < name.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, place)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[place] {
                (next, place) = (next + 1, place + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (next, place) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }
}
