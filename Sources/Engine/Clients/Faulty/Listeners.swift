import Bluetooth
import Characteristics
import HCI
import LEHost

// Clients that listen wrongly to devices that only advertise.
extension FaultyClient {
    static let listeners = [
        requesting(
            "hears_once", "lets the controller filter duplicates, and so hears each device only once",
            "Core 6.0, Vol 6, Part B, section 4.4.3.5: other data do not make another report"
        ) { command, _ in
            guard case .scan(let parameters, _) = command else { return [.request(command)] }
            return [.request(.scan(parameters, filterDuplicates: true))]
        },
        showing("next_octet", "shows the octet before the heart rate that a device advertises, which is 0") {
            content, _ in
            guard case .advertised(var measurement) = content, measurement.heartRate != nil else { return [content] }
            measurement.heartRate = 0
            return [.advertised(measurement)]
        },
        showing("hears_no_service_data", "does not know what service data mean") { content, _ in
            guard case .advertised(let measurement) = content, measurement.heartRate == nil else { return [content] }
            return []
        },
        showing("one_more_heard", "shows one heart rate too many of those that a device advertises") { content, _ in
            guard case .advertised(var measurement) = content, let rate = measurement.heartRate, rate > 0 else {
                return [content]
            }
            measurement.heartRate = rate &+ 1
            return [.advertised(measurement)]
        },
    ]
}
