package import Collector
import CommandSupport

extension Paint {
    /// An update of the client, with its heart rate highlighted.
    package func callAsFunction(_ update: SensorCollector.Update) -> String {
        let text = update.text
        switch update.content {
        case .heartRate, .measurementTally:
            let rate = text.prefix { $0 != "," }
            return self(rate, .heart) + text.dropFirst(rate.count)
        case .state: return self(text, .state)
        case .cleared, .error: return self(text, .warning)
        default: return text
        }
    }
}
