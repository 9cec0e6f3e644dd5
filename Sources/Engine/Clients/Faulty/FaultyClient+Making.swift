import Bluetooth
import GATT
import LEHost
import SecurityManager

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

    /// One that takes the value of these characteristics for another; shorter values stay.
    static func misreading(
        _ characteristics: [UUID], ofAtLeast count: Int = 0, _ name: String, _ about: String, _ source: String? = nil,
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(
            name: name, about: about, source: source,
            values: { value, uuid, _ in
                characteristics.contains(uuid) && value.count >= count ? octets(value) : [.receive(value)]
            })
    }

    /// One that pairs only in its first connections.
    static func pairing(_ name: String, _ about: String, inFirst count: Int) -> FaultyClient {
        requesting(name, about) { command, view in
            if case .security(_, .secure) = command, view.connections > count { [] } else { [.request(command)] }
        }
    }

    /// The procedure that a command starts.
    static func procedure(_ command: Host.Command) -> Procedure? {
        if case .procedure(_, let procedure, _) = command { procedure } else { nil }
    }
}
