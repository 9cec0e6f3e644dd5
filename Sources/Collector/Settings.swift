public import Bluetooth

extension HeartRateCollector {
    /// What a collector looks for, and how.
    public struct Settings: Hashable, Sendable {
        /// Which device to connect to.
        public enum Choice: Hashable, Sendable {
            /// The one that is heard best among those that advertise the service.
            case strongest
            /// The one with this address, as soon as it is heard.
            case address(DeviceAddress)
            /// The first that is heard with this name.
            case name(String)
            /// None: what is heard is told, and nothing more.
            case nobody
        }

        /// A device advertises at least one of these; empty: any device will do.  A device that is chosen by its
        /// address or its name does not have to.
        public var services: [UUID] = [.heartRate]
        /// Which device to connect to.
        public var choice = Choice.strongest
        /// How long to listen after the first device was heard, before the strongest is chosen.
        public var listening = Duration.seconds(1)
        /// Whether the strings of the Device Information Service are read.
        public var readsDeviceInformation = true
        /// Whether to begin again when the connection has ended, or has not come about.
        public var reconnects = true
        /// What to ask for when connecting: 30 ms to 50 ms, latency 0, supervision timeout 720 ms.
        public var connection = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)
        /// How long a connection may take to come about.
        public var connectTimeout = Duration.seconds(10)
        /// Whether PDUs of more than 23 octets are agreed on.
        public var exchangesMTU = true

        /// Everything as said above.
        public init() {}

        /// Everything as said above, but for the choice.
        public init(choice: Choice) { self.choice = choice }
    }
}
