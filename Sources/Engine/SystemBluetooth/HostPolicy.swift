package import Bluetooth
package import SecurityManager

/// How a system's Bluetooth service differs from those of other systems: a ``SystemHost`` follows it.
package struct HostPolicy: Sendable {
    /// The programs that see the effects of a request: that a peripheral was received, and its connection.
    package enum Audience: Sendable {
        /// The program.  A connection ends when no program uses it any more.
        case program
        /// All programs.  Each of them can use and end a connection, which stays when programs end.
        case everyone
    }

    /// The name of a machine that has no other: its GAP Device Name.
    package var name: String
    /// Its GAP Appearance.  Assigned Numbers, section 2.6.
    package var appearance: Appearance
    /// The ATT MTU that it offers, in octets.
    package var mtu: Int
    package var audience: Audience
    package var scanning: ScanPolicy
    package var connecting: ConnectionPolicy
    package var attributes: AttributePolicy
    package var pairing: PairingPolicy
    package var advertising: AdvertisingPolicy
    /// The services that are the system's own, so that no program may publish them.
    package var reservedServices: [UUID]
    /// Its PnP ID in Device Information; nil: it has no such service.
    package var pnpID: [UInt8]?
}

/// How often a system scans.
package struct ScanWindow: Sendable {
    /// The interval, in units of 0.625 ms.
    package var interval: UInt16
    /// How long it scans in an interval, in the same units.
    package var length: UInt16
}

/// How a system scans for programs.
package struct ScanPolicy: Sendable {
    package var window: ScanWindow
    /// Whether the controller reports each advertiser once in a period only.
    package var filtersDuplicates: Bool
    /// How long the controller scans before it begins anew, and reports all advertisers again; nil: without a limit.
    package var period: Duration?
    /// How long the system knows a peripheral that it only receives, after it has received it last; nil: forever.
    package var memory: Duration?
}

/// How a system connects, and disconnects.
package struct ConnectionPolicy: Sendable {
    package var parameters: ConnectionParameters
    /// How the system scans, passively, for the peripherals that programs wait for; nil: the controller waits for one, and for
    /// several the system scans as for programs.
    package var background: ScanWindow?
    /// After this time a program's request to connect fails; nil: never.
    package var limit: Duration?
    /// Whether programs can request together what is already being done; else a further request fails.
    package var joinsAttempts: Bool
    /// How long a link stays that programs do not want any more.
    package var linger: Duration
    /// How long a link stays after the peer has not answered a request.
    package var lingerUnanswered: Duration
}

/// How a system deals with the attributes of a peripheral by itself, and how much programs see of it.
package struct AttributePolicy: Sendable {
    /// The steps on connecting.  The system begins the steps of a group together, and the next group when these have ended.
    package var preparation: [[AttributeStep]]
    /// The same, for a peripheral whose attributes it has kept.
    package var resumption: [[AttributeStep]]
    /// The steps after a change of attributes; none: programs discover them.
    package var renewal: [[AttributeStep]]
    /// The steps at the end of a resumption whose attributes had changed.
    package var completion: [[AttributeStep]]
    package var cache: AttributeCache
    /// The error of an operation that the end of a link interrupts; nil: programs only see that the link has ended.
    package var interruption: ATTError?
    /// Whether a value is accessed once at a time: equal reads share a request, and a further write fails.
    package var sharesRequests: Bool
    /// Whether the system's own subscriptions are configured apart from those of programs: when these end, both get nothing.
    package var separatesOwn: Bool
    /// Whether a Client Characteristic Configuration is written although the program's subscription stays as it is.
    package var configuresAgain: Bool
}

/// The peripherals whose attributes and subscriptions a system keeps while they are not connected.
package enum AttributeCache: Sendable {
    case none
    /// Those that have a bond.
    case bonded
    case all
}

/// How a system pairs.
package struct PairingPolicy: Sendable {
    /// How it pairs if no program is an agent.
    package var security: SecuritySettings
    /// Whether the link ends when pairing has failed.
    package var endsLinkOnFailure: Bool
    /// Whether the system also pairs for what it requests by itself.
    package var securesOwnRequests: Bool
}

/// How a system lays an advertisement out in packets.
package enum AdvertisingRules: Sendable {
    /// As Apple documents it: services and name share 28 octets next to the flags, the scan response has room for 10 octets of a
    /// name that does not fit there, and services that do not fit are left out: other systems cannot read Apple's overflow
    /// area.
    case apple
    /// As BlueZ does in src/advertising.c: the scan response has the name, and all must fit.
    case linux
}

/// How a system advertises.
package struct AdvertisingPolicy: Sendable {
    /// How often, in units of 0.625 ms, before the random delay.
    package var interval: UInt16
    /// The number of programs' advertisements that it takes.
    package var sets: Int
    /// How long it sends one of several advertisements before the next.
    package var turn: Duration
    package var rules: AdvertisingRules
}

/// A step that a system takes by itself on a link with a peripheral.
package enum AttributeStep: Hashable, Sendable {
    case exchangeMTU
    /// Reads the GAP Device Name, without knowing its handle.
    case findName
    /// Searches for the Generic Attribute service, and subscribes to Service Changed.
    case findServiceChanged
    /// Discovers all attributes.
    case discover
    /// Reads the Characteristic Extended Properties of all characteristics that have them.
    case readExtendedProperties
    /// Reads the Database Hash, and renews the attributes unless it is that of the kept ones.  Core 6.0, Vol 3, Part G, section 7.3.
    case compareHash
    /// Reads, writes or subscribes to a characteristic that is known; without one, nothing.
    case read(UUID)
    case write(UUID, [UInt8])
    case subscribe(UUID)
    /// Reports the value that was read to programs, and the values that will be notified.
    case report(UUID)
    /// Renews the subscriptions that programs have kept.
    case resubscribe
    /// Reports attributes that are new to programs.
    case announce
    /// Reports attributes that are not there any more.
    case retire
    /// Reports that the attributes are known.
    case resolve
}
