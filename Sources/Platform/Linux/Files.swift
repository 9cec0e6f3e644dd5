package import Basics
import Glibc

/// The octets of a regular file, a few more than the maximum of a scenario (16 MiB) if it is larger; nil when it cannot be
/// read.
package func contents(of path: String) -> [UInt8]? { contents(of: path, atMost: 16 << 20) }

/// The octets of a regular file, a few more than `maximum` if it is larger; nil when it cannot be read.
package func contents(of path: String, atMost maximum: Int) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while octets.count <= maximum {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        guard count > 0 else { break }
        octets += buffer[..<count]
    }
    return octets
}

/// Why `contents` cannot read a path, and the fix if it is clear.
package func readingFailure(of path: String) -> (why: String, fix: String?) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, unsafe access(path, R_OK) == 0 else {
        return (unsafe String(cString: strerror(errno)), nil)
    }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: ("it changed meanwhile, or its disk has an error", nil)
    case S_IFDIR: ("it is a folder", "name a file in it")
    default: ("it is a pipe or a device", "save what it sends to a file first")
    }
}

/// Creates a folder and its missing parents.
package func makeFolders(_ path: String) throws(Obstacle) {
    var end = path.startIndex
    repeat {
        end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
        let folder = String(path[..<end])
        guard unsafe mkdir(folder, 0o755) != 0, errno != EEXIST else { continue }
        let reason = unsafe String(cString: strerror(errno))
        throw Obstacle(
            .environment,
            "cannot create the folder \(folder.quoted): \(reason) (choose a writable path)")
    } while end < path.endIndex
}

/// The names in a folder, in any order, without `.` and `..`; none when it cannot be read.
package func folderEntries(_ path: String) -> [String] { readableFolderEntries(path) ?? [] }

/// The names in a folder, in any order, without `.` and `..`; nil when it cannot be read.
///
/// A name that is not UTF-8 has U+FFFD in it, and names no file.
package func readableFolderEntries(_ path: String) -> [String]? {
    guard let stream = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { octets in
            unsafe String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// What a symbolic link names; nil if the path is none.
package func linkTarget(_ path: String) -> String? {
    var octets = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &octets, octets.count)
    guard count > 0 else { return nil }
    return String(decoding: octets.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The path to which all links lead, also to a file that is missing or in a folder that is missing.
package func resolvedPath(_ path: String) -> String { resolvedPath(path, links: 0) }

private func resolvedPath(_ path: String, links: Int) -> String {
    if let whole = realPath(path) { return whole }
    guard errno != ENAMETOOLONG, !path.isEmpty else { return path }  // no file can be there
    let (folder, name) = splitPath(path)
    let maximumLinks = 40  // as the kernel
    if links < maximumLinks, let target = linkTarget(path) {
        return resolvedPath(target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links + 1)
    }
    if let whole = realPath(folder) { return whole == "/" ? "/\(name)" : "\(whole)/\(name)" }
    // A folder is missing, so nothing below it is a link.
    let clean = absolutePath(path)
    guard clean == path else { return resolvedPath(clean, links: links) }
    return "\(resolvedPath(folder, links: links))/\(name)"
}

/// The path of what exists, without links; nil, and `errno(3)`, if it does not.
func realPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

/// The folder and the name of a file.
func splitPath(_ path: String) -> (folder: String, name: String) {
    let words = path.split(separator: "/")
    let folder = words.dropLast().joined(separator: "/")
    let root = path.hasPrefix("/") ? "/" : folder.isEmpty ? "." : ""
    return (root + folder, words.last.map(String.init) ?? "")
}

/// The folder of the file at a path.
package func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
}

/// Whether what a path leads to is in one of these folders, or below it.
package func leads(_ path: String, into folders: [String]) -> Bool {
    let place = absolutePath(resolvedPath(path))
    return folders.contains { folder in
        let root = absolutePath(resolvedPath(folder))
        return place.hasPrefix(root == "/" ? root : "\(root)/")
    }
}

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
