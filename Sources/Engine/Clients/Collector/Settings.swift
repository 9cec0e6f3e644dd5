package import Bluetooth
import Devices
import Services

extension SensorCollector {
    /// The device and the values that a collector looks for.
    package struct Settings: Hashable, Sendable {
        /// The device to connect to.
        package enum Choice: Hashable, Sendable {
            /// The strongest one among those that advertise the earliest service in `services` that any device
            /// advertises.
            case strongest
            case address(DeviceAddress)
            /// The first one found with this name.
            case name(String)
            /// None: the collector only scans, and reports the devices found.
            case nobody
        }

        /// A device advertises at least one of these, and earlier ones are preferred; empty: any device matches. A
        /// device that is chosen by its address or name need not advertise any.
        package var services: [UUID] = ServiceRegistry.all.filter(\.isSought).map(\.uuid)
        package var choice = Choice.strongest
        /// How long to scan after the first device was found, before the strongest on average is chosen.
        package var listening = Duration.seconds(1)
        /// Whether the strings of the Device Information Service are read.
        package var readsDeviceInformation = true
        /// The polling interval of steps and temperature; nil: never. At least 10 ms.
        package var asksOnDemand: Duration? = .seconds(60)
        /// Whether to output each ECG sample and each heart rate of a stream too, for drawing.
        package var givesSamples = false
        /// Whether to begin again when the connection has ended or failed.
        package var reconnects = true
        /// The connection parameters to request: 30 ms to 50 ms, latency 0, supervision timeout 720 ms.
        package var connection = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)
        /// The timeout of a connection attempt, unless earlier attempts with the device have timed out.
        package var connectPatience = Duration.seconds(2)
        package var connectTimeout = Duration.seconds(10)
        package var exchangesMTU = true
        /// Whether to pair when the device refuses a request without, or asks for it.
        package var pairs = true
        /// Whether to pair with every device, and again with one that has lost its keys.
        package var pairsUnasked = false

        /// Whether to read and subscribe to everything on a device that has nothing that the client knows.
        var surveysUnknownDevices: Bool { choice != .strongest || services.isEmpty }

        package init() {}

        package init(choice: Choice) { self.choice = choice }
    }
}
