import Basics

/// A name, path or value that D-Bus does not allow, detected before it is sent.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, including the quoted value.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// An error reply from the bus or the called program.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name: `org.freedesktop.DBus.Error.UnknownMethod`, or one that the service defines.
    public let name: String
    /// A message for users; empty if there is none. Its text may change with the service's version.
    public let message: String

    /// An error as the other side sent it.
    public init(name: String, message: String) { (self.name, self.message) = (name, message) }

    /// `name: message`.
    public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

/// Why a call has no result, or a signal could not be sent.
public enum CallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reply is an error.
    case remote(RemoteError)
    /// There was no reply in time; the call may have had an effect nevertheless.
    case timedOut(after: Duration)
    /// The connection is closed, or was closed before the reply arrived.
    case disconnected
    /// The reply has other types than expected.
    case malformedReply(expected: Signature, found: String)
    /// Not sent, because something in it is not allowed.
    case invalidArgument(InvalidArgument)
    /// The waiting task was cancelled.
    case cancelled

    /// A message for users.
    public var description: String {
        switch self {
        case .remote(let error): error.description
        case .timedOut(let limit): "no reply within \(limit)"
        case .disconnected: "the connection to the bus is closed"
        case .malformedReply(let expected, let found):
            "the reply has the types \(found), not \(expected.description.quoted)"
        case .invalidArgument(let argument): argument.description
        case .cancelled: "cancelled"
        }
    }
}

/// Why there is no connection to a bus.
public enum ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing listens at the address, or it is not valid; with libdbus's error.
    case unreachable(address: String, RemoteError)
    /// The bus does not accept the connection.
    case refused(address: String, CallFailure)

    /// A message for users with the quoted address.
    public var description: String {
        switch self {
        case .unreachable(let address, let error): "no bus at \(address.quoted): \(error.message)"
        case .refused(let address, .disconnected): "the bus at \(address.quoted) rejects the connection"
        case .refused(let address, let failure): "the bus at \(address.quoted) rejects the connection: \(failure)"
        }
    }
}

/// An error reply of an exported method.
public struct MethodError: Error, Hashable, Sendable {
    /// The name, by which programs identify the error.
    public let name: ErrorName
    /// A message for users; its first 1000 characters are sent, without NUL.
    public let message: String

    /// An error with this name and message.
    public init(_ name: ErrorName, _ message: String) { (self.name, self.message) = (name, message) }
}

extension ErrorName {
    package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
    package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
}
