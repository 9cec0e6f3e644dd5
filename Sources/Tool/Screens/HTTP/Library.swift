import CMicrohttpd

/// libmicrohttpd is not on this machine.
struct MissingLibrary: Error, CustomStringConvertible {
    /// As the dynamic linker puts it.
    let reason: String

    var description: String {
        "an HTTP server needs libmicrohttpd: \(reason) (on Debian, install it with: apt-get install libmicrohttpd12)"
    }
}

/// The functions of libmicrohttpd.
@safe struct Library: Sendable {
    let functions: MicrohttpdFunctions

    /// Loads the library the first time.
    static func load() throws(MissingLibrary) -> Library { try loaded.get() }

    private static let loaded: Result<Library, MissingLibrary> = {
        var reason: UnsafePointer<CChar>?
        guard let functions = unsafe loadMicrohttpd(&reason) else {
            return .failure(MissingLibrary(reason: unsafe reason.map { unsafe String(cString: $0) } ?? "it is missing"))
        }
        return .success(unsafe Library(functions: functions.pointee))
    }()
}
