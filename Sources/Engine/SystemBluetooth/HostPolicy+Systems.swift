import ATT
import Basics
import Bluetooth
import Characteristics
import GATT
import SecurityManager

extension HostPolicy {
    /// An iPhone.  It displays numbers, its user can enter them, and it prefers authentication.  Apple documents what programs
    /// see; the tests name the page of each rule.
    package static let iPhone: HostPolicy = {
        var security = SecuritySettings()
        security.ioCapability = .keyboardDisplay
        security.authentication = .preferred
        // 30 ms, without latency, and a supervision timeout of 720 ms.
        let parameters = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        return HostPolicy(
            name: "Lubdub phone", appearance: Appearance(0x0040), mtu: 185, audience: .program,
            scanning: ScanPolicy(
                window: ScanWindow(interval: 0x30, length: 0x30), filtersDuplicates: false, period: nil, memory: nil),
            connecting: ConnectionPolicy(
                parameters: parameters, background: nil, limit: nil, joinsAttempts: true, linger: .zero,
                lingerUnanswered: .zero),
            attributes: AttributePolicy(
                preparation: [[.exchangeMTU, .findName, .findServiceChanged]], resumption: [], renewal: [],
                completion: [], cache: .none, interruption: nil, sharesRequests: false, separatesOwn: false,
                configuresAgain: true),
            pairing: PairingPolicy(security: security, endsLinkOnFailure: false, securesOwnRequests: false),
            advertising: AdvertisingPolicy(interval: 160, sets: 1, turn: .zero, rules: .apple),
            reservedServices: [.genericAccess, .genericAttribute], pnpID: nil)
    }()

    /// bluetoothd on Linux 6.1.
    ///
    /// - Parameters:
    ///   - cache: `[GATT] Cache` in main.conf: `always`, which is the default, `yes` for bonded peripherals, or `no`.
    ///   - version: The number of its version after `5.`.
    /// - Returns: The policy.
    package static func bluetoothd(cache: AttributeCache = .all, version: UInt8 = 66) -> HostPolicy {
        // hci_alloc_dev in net/bluetooth/hci_core.c: 30 to 50 ms, without latency, and a supervision timeout of 420 ms.
        let parameters = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)
        var security = SecuritySettings()
        security.asksToAuthorize = true
        // src/gatt-client.c finds attributes, then plugins/gap.c and profiles/battery/battery.c begin: src/device.c.
        let beginning: [[AttributeStep]] = [
            [.exchangeMTU], [.discover], [.readExtendedProperties], [.read(.databaseHash)],
            [.write(.clientSupportedFeatures, [0x05])],
            [.subscribe(.serviceChanged)], [.announce], [.report(.databaseHash)], [.resolve],
        ]
        let battery: [[AttributeStep]] = [
            [.read(.deviceName)], [.read(.batteryLevel)], [.subscribe(.batteryLevel)], [.report(.batteryLevel)],
        ]
        let again: [[AttributeStep]] = [
            [.exchangeMTU], [.read(.deviceName)], [.read(.batteryLevel)], [.report(.batteryLevel)], [.resubscribe],
            [.compareHash], [.subscribe(.serviceChanged)], [.resolve], [.subscribe(.batteryLevel)],
        ]
        let changed: [[AttributeStep]] = [
            [.discover], [.readExtendedProperties], [.announce], [.read(.databaseHash)],
            [.write(.clientSupportedFeatures, [0x05])],
            [.subscribe(.serviceChanged)], [.report(.databaseHash)], [.retire],
        ]
        return HostPolicy(
            name: "BlueZ 5.\(version)", appearance: Appearance(0), mtu: 517, audience: .everyone,
            // DISCOV_LE_SCAN_INT, DISCOV_LE_SCAN_WIN and DISCOV_LE_TIMEOUT in include/net/bluetooth/hci_core.h;
            // TemporaryTimeout in main.conf.
            scanning: ScanPolicy(
                window: ScanWindow(interval: 0x12, length: 0x12), filtersDuplicates: true,
                period: .milliseconds(10_240), memory: .seconds(30)),
            // le_scan_interval and le_scan_window of hci_alloc_dev, twice HCI_LE_CONN_TIMEOUT; DISCONNECT_TIMER in src/device.c.
            connecting: ConnectionPolicy(
                parameters: parameters, background: ScanWindow(interval: 0x60, length: 0x30), limit: .seconds(40),
                joinsAttempts: false, linger: .seconds(2), lingerUnanswered: .seconds(2)),
            attributes: AttributePolicy(
                preparation: beginning + battery, resumption: again, renewal: changed,
                completion: battery, cache: cache,
                interruption: .unlikelyError, sharesRequests: true, separatesOwn: true,
                configuresAgain: false),
            pairing: PairingPolicy(
                security: security, endsLinkOnFailure: true, securesOwnRequests: true),
            // HCI_DEFAULT_ADV_DURATION in include/net/bluetooth/hci_core.h.
            advertising: AdvertisingPolicy(interval: 0x0800, sets: 5, turn: .seconds(2), rules: .linux),
            reservedServices: [.genericAccess, .genericAttribute],
            // usb:v1D6Bp0246d0542: MAIN_OPTS in src/main.c.
            pnpID: PnPID(source: .usbForum, vendor: 0x1D6B, product: 0x0246, version: 0x0500 | UInt16(version)).octets)
    }

    /// The same system without what only waits: the end of a link that nobody wants, the next report of a device that was
    /// received, and a connection that cannot be made.
    package func hastened() -> HostPolicy {
        var policy = self
        (policy.connecting.linger, policy.connecting.lingerUnanswered) = (.milliseconds(1), .milliseconds(1))
        if policy.connecting.limit != nil { policy.connecting.limit = .seconds(5) }
        if policy.scanning.period != nil { policy.scanning.period = .seconds(1) }
        return policy
    }
}
