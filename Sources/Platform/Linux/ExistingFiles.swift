import Glibc

/// Whether there is a file, a folder or a link.
package func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
}

/// Whether there is a symbolic link, or a file that has another name, too.
package func isLink(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    let kind = status.st_mode & S_IFMT
    return kind == S_IFLNK || kind == S_IFREG && status.st_nlink > 1
}
