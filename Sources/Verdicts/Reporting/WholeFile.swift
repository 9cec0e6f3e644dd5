package import CommandSupport
import Glibc

/// A file that is replaced atomically: readers see the old content or all of the new.
///
/// A path that is not a regular file, such as `/dev/stderr`, is written in place.
package struct WholeFile: Sendable {
    private let path: String
    private let target: String
    private let isInPlace: Bool

    /// Checks that the file can be written, without changing it.
    package init(_ path: String) throws(OutputFailure) {
        self.path = path
        target = Self.resolved(path)
        var status = stat()
        if unsafe stat(target, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw OutputFailure(path: path, code: EISDIR) }
            guard unsafe access(target, W_OK) == 0 else { throw OutputFailure(path: path, code: errno) }
            isInPlace = status.st_mode & S_IFMT != S_IFREG
        } else {
            isInPlace = false
        }
        guard !isInPlace else { return }
        let (descriptor, temporary) = try temporary()
        close(descriptor)
        unsafe unlink(temporary)
    }

    /// Follows links, so that they are kept.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    package func write(_ text: String) throws(OutputFailure) {
        guard !isInPlace else {
            let file = try OutputFile(target)
            file.write(Array(text.utf8)[...])
            return try file.close()
        }
        let (descriptor, temporary) = try temporary()
        close(descriptor)
        do throws(OutputFailure) {
            let file = try OutputFile(temporary)
            file.write(Array(text.utf8)[...])
            try file.close()
        } catch {
            unsafe unlink(temporary)
            throw OutputFailure(path: path, code: error.code)
        }
        guard unsafe rename(temporary, target) == 0 else {
            let code = errno
            unsafe unlink(temporary)
            throw OutputFailure(path: path, code: code)
        }
    }

    /// A new file in the target's folder, with default permissions.
    private func temporary() throws(OutputFailure) -> (descriptor: CInt, path: String) {
        var template = Array("\(target).XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw OutputFailure(path: path, code: errno) }
        let mask = umask(0)
        umask(mask)
        fchmod(descriptor, 0o666 & ~mask)
        return (descriptor, String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
