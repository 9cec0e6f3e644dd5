import Glibc

/// A file that is replaced atomically: readers see the old content or all of the new.
///
/// A path that is not a regular file, such as `/dev/stderr`, is written in place.
package struct WholeFile: Sendable {
    private let path: String

    /// Checks that the file can be written, without changing it.
    package init(_ path: String) throws(OutputFailure) {
        self.path = path
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw OutputFailure(path: path, code: EISDIR)
        }
        if let replacement = try Replacement(of: path) {
            close(replacement.descriptor)
            replacement.discard()
        } else if unsafe access(path, W_OK) != 0 {
            throw OutputFailure(path: path, code: errno)
        }
    }

    package func write(_ text: String) throws(OutputFailure) {
        let file = try OutputFile(path, isWhole: true)
        file.write(Array(text.utf8)[...])
        try file.close()
    }
}
