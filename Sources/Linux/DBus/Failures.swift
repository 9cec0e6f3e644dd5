import Spelling

/// A name, a path or a value that D-Bus does not allow; found before it is sent.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, quoting what was given.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// What the bus or the other side answered instead of a result.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `org.freedesktop.DBus.Error.UnknownMethod`, or the service's own.
    public let name: String
    /// For people, and not the same from one version of the other side to the next; empty when none was given.
    public let message: String

    /// As it came from the other side.
    public init(name: String, message: String) { (self.name, self.message) = (name, message) }

    /// `name: message`
    public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

/// Why a call brought no result, or a signal could not be sent.
public enum CallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Answered by an error.
    case remote(RemoteError)
    /// Not answered in time; what it was to do may have happened nevertheless.
    case timedOut(after: Duration)
    /// The connection to the bus is closed, or closed before the answer came.
    case disconnected
    /// Answered by values of other types than were asked for.
    case malformedReply(expected: Signature, found: String)
    /// Not sent, since something in it is not allowed.
    case invalidArgument(InvalidArgument)
    /// The task that waited was cancelled.
    case cancelled

    /// For people.
    public var description: String {
        switch self {
        case .remote(let error): error.description
        case .timedOut(let limit): "no answer within \(limit)"
        case .disconnected: "the connection to the bus is closed"
        case .malformedReply(let expected, let found):
            "the answer is \(found), and should be \(expected.description.quoted)"
        case .invalidArgument(let argument): argument.description
        case .cancelled: "cancelled"
        }
    }
}

/// Why there is no connection to a bus.
public enum ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody listens at the address, or it is none; with libdbus's words.
    case unreachable(address: String, RemoteError)
    /// Somebody listens, but does not let us in.
    case refused(address: String, CallFailure)

    /// For people; the address is quoted.
    public var description: String {
        switch self {
        case .unreachable(let address, let error): "no bus at \(address.quoted): \(error.message)"
        case .refused(let address, .disconnected): "the bus at \(address.quoted) does not let us in"
        case .refused(let address, let failure): "the bus at \(address.quoted) does not let us in: \(failure)"
        }
    }
}

/// An error that a method of ours answers with.
public struct Refusal: Error, Hashable, Sendable {
    /// By which programs tell it from others.
    public let name: ErrorName
    /// For people; the first 1000 characters are sent, without NUL.
    public let message: String

    /// An error of our own.
    public init(_ name: ErrorName, _ message: String) { (self.name, self.message) = (name, message) }
}

extension ErrorName {
    static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
}
