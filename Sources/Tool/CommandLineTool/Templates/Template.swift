/// A file to start from: a scenario, a suite or a client.
struct Template: Sendable {
    /// The word for it on the command line: `strap`.
    let kind: String
    /// A short description without a point.
    let about: String
    /// The library that a client uses; nil for a scenario or suite.
    let library: String?
    /// The content.
    let text: String

    private init(_ kind: String, with library: String? = nil, _ octets: [UInt8], _ about: String) {
        (self.kind, self.library, self.about) = (kind, library, about)
        text = String(decoding: octets, as: UTF8.self)
    }

    /// In the order of the help; of several with one kind, the first is the usual one.
    static let all = [
        Template("strap", PackageResources.strap_json, "a strap that is out of range for a while"),
        Template("thermometer", PackageResources.thermometer_json, "a thermometer that stores measurements"),
        Template("fitness", PackageResources.fitness_json, "a band that counts steps over midnight"),
        Template("ecg", PackageResources.ecg_json, "a patch with an electrocardiogram and a loose electrode"),
        Template("custom", PackageResources.custom_json, "a device with a service that you define"),
        Template("suite", PackageResources.suite_json, "a list of cases, each with its variables"),
        Template("client", with: "bumble", PackageResources.bumble_client_py, "a client above Bumble, in Python"),
        Template("client", with: "bleak", PackageResources.bleak_client_py, "a client above bleak, in Python"),
    ]

    /// The kinds, each once.
    static let kinds = all.map(\.kind).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    /// The libraries of clients.
    static let libraries = all.compactMap(\.library)

    /// The template of a kind; `library` selects one of several clients. Nil if there is none.
    static func named(_ kind: String, with library: String?) -> Template? {
        all.first { $0.kind == kind && (library == nil || $0.library == library) }
    }
}
