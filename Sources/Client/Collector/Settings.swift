public import Bluetooth
import Services

extension SensorCollector {
    /// What a collector looks for, and how.
    public struct Settings: Hashable, Sendable {
        /// Which device to connect to.
        public enum Choice: Hashable, Sendable {
            /// The one that is heard best among those that advertise the first of the services that anybody does.
            case strongest
            /// The one with this address, as soon as it is heard.
            case address(DeviceAddress)
            /// The first that is heard with this name.
            case name(String)
            /// None: what is heard is told, and nothing more.
            case nobody
        }

        /// A device advertises at least one of these, and the earlier it stands here the better; empty: any device will
        /// do.  A device that is chosen by its address or its name does not have to.
        public var services: [UUID] = ServiceRegistry.all.filter(\.isSought).map(\.uuid)
        /// Which device to connect to.
        public var choice = Choice.strongest
        /// How long to listen after the first device was heard, before the strongest is chosen: by the mean of what was
        /// heard until then.
        public var listening = Duration.seconds(1)
        /// Whether the strings of the Device Information Service are read.
        public var readsDeviceInformation = true
        /// How often steps and temperature are read again; nil: never.  At least 10 ms.
        public var asksOnDemand: Duration? = .seconds(60)
        /// Whether the samples of an ECG and the single measurements are given too, for who draws them.
        public var givesSamples = false
        /// Whether to begin again when the connection has ended, or has not come about.
        public var reconnects = true
        /// What to ask for when connecting: 30 ms to 50 ms, latency 0, supervision timeout 720 ms.
        public var connection = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)
        /// How long a connection may take to come about, but for a device that was not found in time again and again.
        public var connectPatience = Duration.seconds(2)
        /// How long it may take then, at most.
        public var connectTimeout = Duration.seconds(10)
        /// Whether PDUs of more than 23 octets are agreed on.
        public var exchangesMTU = true

        /// Everything as said above.
        public init() {}

        /// Everything as said above, but for the choice.
        public init(choice: Choice) { self.choice = choice }
    }
}
