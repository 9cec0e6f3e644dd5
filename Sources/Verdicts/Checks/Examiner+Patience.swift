import Basics
package import Bluetooth
import Devices
import ScenarioModel

// How long a check waits for values.
extension Examiner {
    /// How long to wait for values of a service (nil: of any): at least `duration`.  The period of a simulated peripheral is
    /// known; then it is long enough for `count` values.
    package func patience(_ duration: Duration, for count: Int = 2, of service: UUID? = nil) -> Duration {
        guard let simulated = host.simulated else { return duration }
        let services = simulated.scenario.devices[simulated.device].services
        let periods = services.filter { service == nil || $0.uuid == service }.map { period(of: $0.configured) }
        return max(duration, (periods.max() ?? .zero) * count + .seconds(1))
    }

    /// The longest time from value to value, and of a stream that for some frames, which have at most 256 samples.
    private func period(of service: ConfiguredService) -> Duration {
        guard let rate = service.description.rate(in: service.configuration) else { return service.longestPeriod }
        return .seconds(1024) / max(1, rate)
    }
}
