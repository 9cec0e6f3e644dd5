import Glibc

/// The medium between stations: who stands where, how strong each hears the other, and whether at all.
///
/// Stations stand on a line, a client at 0 and a device at its distance.  What is sent arrives with
/// `power − 40 dB − 20 dB · log10(distance in metres)`: the loss of free space at 2.44 GHz (Friis), rounded to whole
/// dBm, and never computed for less than 10 cm.  The air knows octets only as what takes time: frames do not collide.
public struct Medium: Sendable {
    /// Somebody with an antenna.
    public struct Station: Hashable, Sendable {
        /// Where it stands, in millimetres from the client.
        public var millimetres: Int
        /// What it sends with, in dBm.
        public var power: Int8
        /// False: it neither sends nor hears.
        public var isPresent: Bool

        /// A station that is there.
        public init(millimetres: Int = 0, power: Int8 = 0) {
            (self.millimetres, self.power, isPresent) = (millimetres, power, true)
        }
    }

    /// By number; the number of a station never changes.
    public private(set) var stations: [Station] = []

    /// Without stations.
    public init() {}

    /// The number of the new station.
    public mutating func add(_ station: Station) -> Int {
        stations.append(station)
        return stations.count - 1
    }

    /// Moves, strengthens, removes or brings back a station.
    public mutating func change(_ number: Int, _ change: (inout Station) -> Void) {
        guard stations.indices.contains(number) else { return }
        change(&stations[number])
    }

    /// Whether what `sender` sends arrives at `receiver` at all.
    public func connects(_ sender: Int, _ receiver: Int) -> Bool {
        stations.indices.contains(sender) && stations.indices.contains(receiver) && stations[sender].isPresent
            && stations[receiver].isPresent
    }

    /// How strong `receiver` hears `sender`, in dBm: −127 to 20, as HCI has it.
    public func rssi(from sender: Int, to receiver: Int) -> Int8 {
        guard stations.indices.contains(sender), stations.indices.contains(receiver) else { return -127 }
        let distance = max(100, abs(stations[sender].millimetres - stations[receiver].millimetres))
        let loss = 40 + 20 * log10(Double(distance) / 1000)
        return Int8(max(-127, min(20, (Double(stations[sender].power) - loss).rounded())))
    }
}
