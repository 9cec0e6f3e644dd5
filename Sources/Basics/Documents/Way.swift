import Spelling

/// The way from the root of a document to a place in it; put into words only when somebody asks.
indirect enum Way {
    case root
    case key(String, of: Way)
    case item(Int, of: Way)

    /// `devices[0].name`; a key that could be taken for something else stands in brackets and quotes.
    var description: String {
        switch self {
        case .root: return ""
        case .item(let index, let way): return "\(way.description)[\(index)]"
        case .key(let key, let way):
            let (path, key) = (way.description, key.brief)
            let isPlain = !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || "_$-".contains($0) }
            guard isPlain else { return "\(path)[\(key.quoted)]" }
            return path.isEmpty ? key : "\(path).\(key)"
        }
    }
}
