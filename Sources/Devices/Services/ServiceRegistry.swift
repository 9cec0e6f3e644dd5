package import Devices

/// All services that a scenario can name, except those that the file defines itself.
package enum ServiceRegistry {
    /// In the order in which a client reads and subscribes.
    package static let all: [ServiceDescription] = [
        .heartRate,
        .healthThermometer,
        .pulseOximeter,
        .runningSpeedAndCadence,
        .fitness,
        .battery,
        .deviceInformation,
        .feed,
        .measurements,
        .ecg,
        .polarMeasurementData,
    ]

    /// The service with this name in a scenario; nil when there is none.
    package static func service(named name: String) -> ServiceDescription? {
        all.first { $0.name == name && $0.variant == nil }
    }

    /// The service with this name that a configuration selects; nil when there is none.
    package static func service(named name: String, _ configuration: ServiceConfiguration) -> ServiceDescription? {
        let chosen = all.first { service in
            service.name == name && service.variant.map { configuration.word($0.key) == $0.word } ?? false
        }
        return chosen ?? service(named: name)
    }
}

extension ServiceRegistry {
    /// All services as a table in Markdown, for `Documentation/services.md`.
    package static let table =
        (["| `service` | what it is |", "|---|---|"] + all.map(\.row)
        + [
            "| `custom` | [any service you define](custom-services.md), also with the mistakes of real devices |"
        ])
        .joined(separator: "\n")

    /// The built-in client's lines as a table in Markdown, for `Documentation/built-in-client.md`; a star marks the
    /// services that it looks for.
    package static let tableOfLines =
        (["| service | lines |", "|---|---|"] + all.map(\.rowOfLines)).joined(separator: "\n")
}
