import DBus

/// What programs asked of the service, and when it was not there: for explanations of what they did not do.
package enum ServiceNote: Hashable, Sendable {
    /// A program called a method of BlueZ: `StartDiscovery`.
    case called(String)
    /// A method failed with this text, or with the name of its error if there is none.
    case failed(String, String)
    /// Any call of a program, also one of the properties or of nothing.
    case received(ServiceCall)
    /// The reply to a call; with an error, its name and text.
    case answered(ServiceCall, error: ServiceError?)
    /// The service, or only its adapter, cannot be used any more, or can be again.
    case turned(Part, isOn: Bool)

    /// What can be away.
    package enum Part: Hashable, Sendable {
        case service, adapter
    }
}

/// A call of a program.
package struct ServiceCall: Hashable, Sendable {
    package let sender: String
    package let serial: UInt32
    package let path: String
    package let interface: String?
    package let member: String

    init(_ call: ReceivedCall) {
        (sender, serial, path) = (call.sender?.text ?? "", call.serial, call.path.text)
        (interface, member) = (call.interface?.text, call.member.text)
    }
}

/// The error that answers a call.
package struct ServiceError: Hashable, Sendable {
    package let name: String
    package let text: String

    init(_ error: MethodError) { (name, text) = (error.name.text, error.message) }
}
