import Basics
import HCI

/// The transmit power of advertising after `Host.Command.attenuate`.
public struct AdvertisingPower: Hashable, Sendable {
    /// How much weaker than the controller's own choice it was to be, in dB.
    public let wantedAttenuation: Int
    /// How much weaker it is, in dB.
    public let attenuation: Int
    /// In dBm; nil: the controller has no extended advertising, and always uses its own choice.
    public let level: Int8?

    /// As given.
    public init(wantedAttenuation: Int, attenuation: Int, level: Int8?) {
        (self.wantedAttenuation, self.attenuation, self.level) = (wantedAttenuation, attenuation, level)
    }
}

// The transmit power of advertising.  HCI has no command to set that of a connection.
extension Host {
    /// The power that the caller wants.  Core 6.0, Vol 4, Part E, section 7.8.53, `Advertising_TX_Power`.
    struct PowerControl: Sendable {
        static let ownChoice: Int8 = 127
        private static let levels: ClosedRange<Int8> = -127...20
        /// Larger than any difference of two levels.
        static let attenuations = -200...200

        var attenuation = 0
        /// The controller's range; nil: not known.
        var range: ClosedRange<Int8>?
        /// The level that the controller chooses; nil: not known yet.
        var ownLevel: Int8?
        var isReported = true

        var requested: Int8 {
            guard attenuation != 0, let ownLevel else { return Self.ownChoice }
            let levels = range.map { $0.clamped(to: Self.levels) } ?? Self.levels
            let level = Int(ownLevel) - attenuation
            return Int8(max(Int(levels.lowerBound), min(Int(levels.upperBound), level)))
        }

        /// The level that the controller has selected for a request.  Some controllers, such as rootcanal, return the request,
        /// even if they were to choose: the maximum is assumed then, or 0 dBm.
        func level(_ returned: Int8, for request: Int8) -> Int8 {
            guard !Self.levels.contains(returned) else { return returned }
            return request == Self.ownChoice ? range.map { min($0.upperBound, Self.levels.upperBound) } ?? 0 : request
        }
    }

    mutating func attenuate(by decibels: Int, into outbox: inout [Output]) {
        advertising.power.attenuation = max(
            PowerControl.attenuations.lowerBound, min(PowerControl.attenuations.upperBound, decibels))
        advertising.power.isReported = false
        guard isReady else { return }
        reportFixedPower(into: &outbox)
        if family == .extended, willAdvertise { advertise() }
    }

    /// Reports that the power cannot be changed, if the caller wants to change it.
    mutating func reportFixedPower(into outbox: inout [Output]) {
        guard family == .legacy, !advertising.power.isReported else { return }
        advertising.power.isReported = true
        outbox.append(
            .advertisingPower(
                AdvertisingPower(wantedAttenuation: advertising.power.attenuation, attenuation: 0, level: nil)))
    }

    /// Takes the level that the controller has selected: `Selected_TX_Power`.
    mutating func selected(_ returned: [UInt8], for command: HCI.Command, into outbox: inout [Output]) {
        guard let octet = returned.dropFirst().first,
            let parameters = try? HCI.Command.leSetExtendedAdvertisingParameters.parameters(of: command)
        else { return }
        let level = advertising.power.level(Int8(bitPattern: octet), for: parameters.txPower)
        if parameters.txPower == PowerControl.ownChoice { advertising.power.ownLevel = level }
        guard parameters.txPower == advertising.power.requested else {
            let next = commands.last { HCI.Command.leSetExtendedAdvertisingParameters ~= $0 ? $0 : nil }
            if next == nil { advertise() }
            return
        }
        guard !advertising.power.isReported, let ownLevel = advertising.power.ownLevel else { return }
        advertising.power.isReported = true
        outbox.append(
            .advertisingPower(
                AdvertisingPower(
                    wantedAttenuation: advertising.power.attenuation, attenuation: Int(ownLevel) - Int(level),
                    level: level)))
    }
}
