import Glibc

package func absolutePath(_ path: String) -> String {
    var words: [Substring] = []
    let folder = path.hasPrefix("/") ? "" : currentFolder
    for word in "\(folder)/\(path)".split(separator: "/") where word != "." {
        if word == ".." { _ = words.popLast() } else { words.append(word) }
    }
    return "/" + words.joined(separator: "/")
}

private var currentFolder: String {
    guard let folder = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder)
}
