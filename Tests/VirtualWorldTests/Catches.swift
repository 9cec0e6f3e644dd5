import Clients

extension FaultyClient {
    /// The expectations of the repository's scenarios that must fail it: `formats/edges shows`.
    var caughtBy: [String] { Catches.all[name] ?? [] }
}

/// The expectations that must fail each faulty client.
enum Catches {
    static let all = Dictionary(
        uniqueKeysWithValues: (decoders + oximeters + inventors + misbehaving + pairers + initiators + listeners).map {
            ($0.client, $0.by)
        })
}
