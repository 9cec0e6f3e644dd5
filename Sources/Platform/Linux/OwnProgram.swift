import CLubdubLinux
import Glibc

/// The running program: its command line, and its file.
package enum OwnProgram {
    /// The words of the command line after the program's name.
    package static var words: [String] {
        unsafe Array(arguments { word in unsafe String(cString: word) }.dropFirst())
    }

    /// The first of the words that is not UTF-8, so that `words` has something else in its place; nil if all are.
    package static var unreadableWord: String? {
        unsafe arguments { word in unsafe String(validatingCString: word) == nil ? String(cString: word) : nil }.first
    }

    /// The results of `read` for all words of the command line, the program's name first.
    private static func arguments(_ read: (UnsafeMutablePointer<CChar>) -> String?) -> [String] {
        var results: [String] = []
        var place = unsafe mainArguments()
        while let pointer = unsafe place, let word = unsafe pointer.pointee {
            if let result = unsafe read(word) { results.append(result) }
            unsafe place = pointer + 1
        }
        return results
    }

    /// With which another process of it starts, even if its file has been replaced meanwhile.
    package static var executable: String {
        let link = "/proc/self/exe"
        return unsafe access(link, F_OK) == 0 ? link : path
    }

    /// The path of its file.
    package static var path: String { linkTarget("/proc/self/exe") ?? startedFile }

    /// As /proc has it, if that is not mounted.
    static var startedFile: String {
        guard let path = unsafe startedPath() else { return "" }
        let name = unsafe String(cString: path)
        return realPath(name) ?? absolutePath(name)
    }

    /// The fix for a missing /proc or /sys, which `need` requires; nil if both are there.
    package static func obstacle(to need: String, needsSys: Bool = false) -> String? {
        let folders = [("/proc/self", "/proc", "proc")] + (needsSys ? [("/sys/class", "/sys", "sysfs")] : [])
        return folders.first { unsafe access($0.0, F_OK) != 0 }.map { _, folder, kind in
            "\(need) needs \(folder), which is not mounted: mount it with mount -t \(kind) \(kind) \(folder)"
        }
    }
}
