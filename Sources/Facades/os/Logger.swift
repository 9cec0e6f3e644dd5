/// Writes messages of the app to standard error, with the interface of Apple's unified logging.
public struct Logger: Sendable {
    private let log: OSLog

    /// A logger of the process.
    public init() { log = .default }

    /// A logger for a part of the app.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// A logger with the names of a log.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message with the type `default`.
    public func log(_ message: OSLogMessage) { log.write(message.text, .default) }
    /// Writes a message.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
    /// Writes a message with the type `debug`.
    public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }
    /// Writes a message with the type `debug`.
    public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }
    /// Writes a message with the type `info`.
    public func info(_ message: OSLogMessage) { log.write(message.text, .info) }
    /// Writes a message with the type `default`.
    public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }
    /// Writes a message with the type `error`.
    public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }
    /// Writes a message with the type `error`.
    public func error(_ message: OSLogMessage) { log.write(message.text, .error) }
    /// Writes a message with the type `fault`.
    public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }
    /// Writes a message with the type `fault`.
    public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}

/// Whether a part of a message is shown.
public enum OSLogPrivacy: Sendable {
    /// Shown.
    case auto
    /// Shown.
    case `public`
    /// Replaced.
    case `private`
    /// Replaced.
    case sensitive
}

/// A message, with values in parentheses.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// A message without values.
    public init(stringLiteral value: String) { text = value }

    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// The parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""

    /// No parts.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value, or `<private>`.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> some Any, privacy: OSLogPrivacy = .auto
    ) {
        switch privacy {
        case .auto, .public: text += "\(value())"
        case .private, .sensitive: text += "<private>"
        }
    }
}
