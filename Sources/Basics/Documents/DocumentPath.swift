import Basics

/// The path from the root of a document to a value; converted to text only when a problem is reported.
indirect enum DocumentPath {
    case root
    case key(String, of: DocumentPath)
    case item(Int, of: DocumentPath)

    /// `devices[0].name`; a key with other characters than letters, digits, `_`, `$` and `-` is quoted in brackets.
    var description: String {
        switch self {
        case .root: return ""
        case .item(let index, let parent): return "\(parent.description)[\(index)]"
        case .key(let key, let parent):
            let (path, key) = (parent.description, key.abbreviated)
            let isPlain = !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || "_$-".contains($0) }
            guard isPlain else { return "\(path)[\(key.quoted)]" }
            return path.isEmpty ? key : "\(path).\(key)"
        }
    }
}
