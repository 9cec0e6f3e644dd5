extension Action {
    /// A bad day of the Bluetooth service of the client's system: bluetoothd, if Lubdub plays it.
    package enum SystemFault: Hashable, Sendable {
        /// `daemon_away`: without the signals that its objects are removed if `isAbrupt`.
        case daemonAway(isAbrupt: Bool)
        /// `adapter_off`.
        case adapterOff
        /// `adapter_unplugged`.
        case adapterUnplugged
        /// `discovery_stuck`.
        case discoveryStuck
        /// `device_gone`.
        case deviceGone
        /// `connect_aborts`: the first connections, or all of them if `times` is nil.
        case connectAborts(times: Int?)
        /// `services_resolved`.
        case servicesResolved(Resolution, by: Duration)
        /// `stale_attributes`.
        case staleAttributes
        /// `other_scan`.
        case otherScan
        /// `other_connection`.
        case otherConnection
        /// `late_replies`.
        case lateReplies(by: Duration)
        /// `bus_away`.
        case busAway
    }

    /// When the service reports that it knows all services of a device.
    package enum Resolution: String, CaseIterable, Sendable {
        /// When the connection is made: before it knows them.
        case early
        /// Some time after it knows them.
        case late
        case never
    }
}

extension Action.SystemFault {
    var kind: Action.Kind {
        switch self {
        case .daemonAway: .daemonAway
        case .adapterOff: .adapterOff
        case .adapterUnplugged: .adapterUnplugged
        case .discoveryStuck: .discoveryStuck
        case .deviceGone: .deviceGone
        case .connectAborts: .connectAborts
        case .servicesResolved: .servicesResolved
        case .staleAttributes: .staleAttributes
        case .otherScan: .otherScan
        case .otherConnection: .otherConnection
        case .lateReplies: .lateReplies
        case .busAway: .busAway
        }
    }
}

extension Action.Kind {
    /// Whether it happens to the Bluetooth service of the client's system.
    package var concernsSystem: Bool {
        switch self {
        case .daemonAway, .adapterOff, .adapterUnplugged, .discoveryStuck, .deviceGone, .connectAborts,
            .servicesResolved, .staleAttributes, .otherScan, .otherConnection, .lateReplies, .busAway:
            true
        default: false
        }
    }
}
