import Characteristics

// Clients that show streams wrongly.
extension FaultyClient {
    static let streamDisplays = [
        counting("draws_twice", "draws ECG frames that come twice a second time") { tally in
            (tally.samples, tally.dropped) = (tally.samples + tally.dropped, 0)
        },
        counting("draws_back", "draws each part of an ECG 10 samples too early") { tally in
            switch tally.position {
            case .index(let index)?: tally.position = .index(index &- 10)
            case .timeStamp(let timeStamp)?: tally.position = .timeStamp(timeStamp &- 10)
            case nil: break
            }
        },
        counting("denies_losses", "counts no samples as lost") { $0.lost = 0 },
        counting("invents_losses", "counts ten samples of each line of an ECG as lost") { tally in
            let count = min(10, tally.samples)
            (tally.samples, tally.lost) = (tally.samples - count, tally.lost + count)
        },
        showing("stops_drawing", "draws nothing more after 40 frames") { content, view in
            switch content {
            case .ecg where view.values > 40, .measurementTally where view.values > 40: []
            default: [content]
            }
        },
    ]

    /// One that makes something else of the counts of its streams.
    private static func counting(
        _ name: String, _ about: String, _ change: @escaping @Sendable (inout SampleTally) -> Void
    ) -> FaultyClient {
        showing(name, about) { content, _ in
            switch content {
            case .ecg(var tally):
                change(&tally)
                return [.ecg(tally)]
            case .measurementTally(var tally, let bpm):
                change(&tally)
                return [.measurementTally(tally, bpm: bpm)]
            default: return [content]
            }
        }
    }
}
