// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The names are those of Apple.
import Foundation

/// How important a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The number of Apple's framework.
    public let rawValue: UInt8

    /// The type with this number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// For every message.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// Helpful, but not necessary.
    public static let info = OSLogType(rawValue: 0x01)
    /// For development.
    public static let debug = OSLogType(rawValue: 0x02)
    /// Something failed.
    public static let error = OSLogType(rawValue: 0x10)
    /// A bug.
    public static let fault = OSLogType(rawValue: 0x11)

    fileprivate var name: String {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: "default"
        }
    }
}

/// The name under which messages are written to standard error.
public final class OSLog: Sendable {
    private let name: String?

    private init(name: String?) { self.name = name }

    /// A log for a part of the app.
    public init(subsystem: String, category: String) { name = "\(subsystem):\(category)" }

    /// The log of the process.
    public static let `default` = OSLog(name: "default")
    /// A log that drops its messages.
    public static let disabled = OSLog(name: nil)

    /// Whether messages of the type are written.
    public func isEnabled(type: OSLogType) -> Bool { name != nil }

    func write(_ text: String, _ type: OSLogType) {
        guard let name else { return }
        FileHandle.standardError.write(Data("[\(name)] \(type.name): \(text)\n".utf8))
    }
}

/// Writes a message whose format has the directives of `String(format:)`, such as `%d`, and `%{public}@`.
public func os_log(
    _ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ arguments: any CVarArg...
) { log.write(text(message, arguments), type) }

/// The same with the type first.
public func os_log(
    _ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ arguments: any CVarArg...
) { log.write(text(message, arguments), type) }

/// Writes a message with values in parentheses.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

/// Writes a message with values in parentheses.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { log.write(message.text, type) }

/// Values that the format declares to be private are written nevertheless.
private func text(_ message: StaticString, _ arguments: [any CVarArg]) -> String {
    let format = message.description.replacingOccurrences(
        of: "%\\{[^}]*\\}", with: "%", options: .regularExpression)
    return arguments.isEmpty ? format : String(format: format, arguments: arguments)
}
