/// Every service that has a folder here.  The order is that in which a client reads and subscribes.
public enum ServiceRegistry {
    /// One line for each.
    public static let all: [ServiceDescription] = [
        .heartRate,
        .battery,
        .feed,
    ]

    /// The one that scenarios write so; nil for none.
    public static func service(named name: String) -> ServiceDescription? { all.first { $0.name == name } }
}
