import Collector
import GATT
import LEHost

extension FaultyClient {
    /// One that sends other commands than it should.
    static func requesting(
        _ name: String, _ about: String, _ source: String? = nil,
        _ commands: @escaping @Sendable (Host.Command, View) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, commands: commands)
    }

    /// One that shows something other than it should.
    static func showing(
        _ name: String, _ about: String, _ source: String? = nil,
        _ shows: @escaping @Sendable (SensorCollector.Content, View) -> [SensorCollector.Content]
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, shows: shows)
    }

    /// One that is set up wrongly.
    static func configured(
        _ name: String, _ about: String, _ source: String? = nil,
        _ settings: @escaping @Sendable (inout SensorCollector.Settings) -> Void
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, settings: settings)
    }

    /// The procedure that a command starts.
    static func procedure(_ command: Host.Command) -> Procedure? {
        if case .procedure(_, let procedure, _) = command { procedure } else { nil }
    }
}
