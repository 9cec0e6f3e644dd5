import Characteristics

// Clients that show streams wrongly.
extension FaultyClient {
    static let streamDisplays = [
        FaultyClient(
            name: "draws_twice", about: "draws ECG frames that come twice a second time",
            shows: { content, _ in changed(content) { $0.drawing(dropped: true) } }),
        FaultyClient(
            name: "draws_back", about: "draws each part of an ECG 10 samples too early",
            shows: { content, _ in changed(content) { $0.moved(back: 10) } }),
        FaultyClient(
            name: "denies_losses", about: "counts no samples as lost",
            shows: { content, _ in changed(content) { $0.drawing(lost: false) } }),
        FaultyClient(
            name: "invents_losses", about: "counts ten samples of each line of an ECG as lost",
            shows: { content, _ in changed(content) { $0.losing(10) } }),
        FaultyClient(
            name: "stops_drawing", about: "draws nothing more after 40 frames",
            shows: { content, view in
                switch content {
                case .ecg where view.values > 40, .measurementTally where view.values > 40: []
                default: [content]
                }
            }),
    ]

    private static func changed(
        _ content: SensorCollector.Content, _ change: (SampleTally) -> SampleTally
    ) -> [SensorCollector.Content] {
        switch content {
        case .ecg(let tally): [.ecg(change(tally))]
        case .measurementTally(let tally, let bpm): [.measurementTally(change(tally), bpm: bpm)]
        default: [content]
        }
    }
}
