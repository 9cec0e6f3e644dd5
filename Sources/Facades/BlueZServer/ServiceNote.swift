/// What programs asked of the service, and when it was not there: for explanations of what they did not do.
package enum ServiceNote: Hashable, Sendable {
    /// A program called a method of BlueZ: `StartDiscovery`.
    case called(String)
    /// A method failed with this text, or with the name of its error if there is none.
    case failed(String, String)
    /// The service, or only its adapter, cannot be used any more, or can be again.
    case turned(Part, isOn: Bool)

    /// What can be away.
    package enum Part: Hashable, Sendable {
        case service, adapter
    }
}
