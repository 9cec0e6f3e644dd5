import CommandSupport

/// Whoever shows what a client shows, in one case: a process, or a person with an app.
protocol ClientSession: Actor {
    /// From now on heeds what it says.
    func start() async
    /// Heeds it no more, and lets it go: what is known of it.
    func end(_ signals: Signals) async -> ClientRecord
}
