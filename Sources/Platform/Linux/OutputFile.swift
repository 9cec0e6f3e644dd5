package import Basics
import Glibc
import Synchronization

package struct OutputFailure: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// The error number, see `errno(3)`.
    package let code: Int32

    package init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

    /// `cannot write "x.btsnoop": No space left on device`
    package var description: String {
        "cannot write \(path.quoted): \(unsafe String(cString: strerror(code)))"
    }
}

extension OutputFailure: CodedError {
    /// A signal, if that ended the wait for a reader.
    package var exitCode: ExitCode? { code == EINTR ? .signal(EndSignal.number ?? SIGINT) : nil }
}

/// A file that is written sequentially, through a buffer.
///
/// Writing never throws, so that a full disk does not end a run: the file keeps the first error, writes nothing after it,
/// and `close` throws it.
package final class OutputFile: Sendable {
    private struct State {
        var descriptor: OutputDescriptor?
        var buffer: [UInt8] = []
        var failure: OutputFailure?
        var replacement: Replacement?
    }

    private static let capacity = 1 << 16

    private let path: String
    private let state: Mutex<State>

    /// Creates the file, or truncates an existing one; `-` is standard output.
    ///
    /// A whole file replaces an existing one only when it is closed, and only without an error. Only its owner can read a
    /// private one.
    package init(_ path: String, isWhole: Bool = false, isPrivate: Bool = false) throws(OutputFailure) {
        self.path = path
        let isStandard = path == "-"
        let replacement = isWhole && !isStandard ? try Replacement(of: path) : nil
        let descriptor: OutputDescriptor
        if isStandard {
            descriptor = OutputDescriptor(sharing: STDOUT_FILENO)
        } else if let replacement {
            descriptor = OutputDescriptor(owning: replacement.descriptor)
        } else {
            descriptor = try OutputDescriptor(creating: path)
        }
        if isPrivate { fchmod(descriptor.number, 0o600) }
        state = Mutex(State(descriptor: descriptor, replacement: replacement))
    }

    deinit {
        state.withLock { $0.replacement.take()?.discard() }
        try? close()
    }

    package var failure: OutputFailure? { state.withLock { $0.failure } }

    package func write(_ octets: ArraySlice<UInt8>) {
        state.withLock { state in
            if state.buffer.count + octets.count > Self.capacity { empty(&state) }
            if octets.count > Self.capacity { write(octets, &state) } else { state.buffer += octets }
        }
    }

    package func flush() { state.withLock { empty(&$0) } }

    /// Flushes and closes the file; throws the first error since it was created.
    package func close() throws(OutputFailure) {
        let failure = state.withLock { state in
            empty(&state)
            if let descriptor = state.descriptor.take(), let code = descriptor.close() {
                state.failure = state.failure ?? OutputFailure(path: path, code: code)
            }
            if let replacement = state.replacement.take() {
                if state.failure != nil {
                    replacement.discard()
                } else if let code = replacement.complete() {
                    state.failure = OutputFailure(path: path, code: code)
                }
            }
            return state.failure
        }
        if let failure { throw failure }
    }

    private func empty(_ state: inout State) {
        write(state.buffer[...], &state)
        state.buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ octets: ArraySlice<UInt8>, _ state: inout State) {
        guard let descriptor = state.descriptor, state.failure == nil else { return }
        state.failure = descriptor.write(octets).map { OutputFailure(path: path, code: $0) }
    }
}
