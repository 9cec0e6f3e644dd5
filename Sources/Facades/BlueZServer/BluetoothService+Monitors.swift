import Basics
import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

/// The monitors of all programs.
struct ProgramMonitors: Sendable {
    /// A path at which a program has, or will have, monitors.
    struct Application: Sendable {
        let program: ProgramID
        let owner: BusName
        let path: ObjectPath
        /// To what the program adds and removes.
        let changes: Connection.Subscription
        /// The call to answer when it is registered.
        var registering: ReceivedCall?
        /// The numbers of the monitors at their paths.
        var monitors: [ObjectPath: UInt32] = [:]
    }

    struct Monitor: Sendable {
        let application: UInt32
        let path: ObjectPath
        var content: AdvertisementMonitor
        /// The ends of devices that are not heard any more.
        var ends: [DeviceAddress: EventLoop.ScheduledCall] = [:]
    }

    var applications: [UInt32: Application] = [:]
    var monitors: [UInt32: Monitor] = [:]
    private var numbers: UInt32 = 0

    /// HCI_MAX_ADV_MONITOR_NUM_HANDLES and HCI_MAX_ADV_MONITOR_NUM_PATTERNS in include/net/bluetooth/hci_core.h.
    private static let maximumMonitors = 32
    private static let maximumPatterns = 16

    mutating func take() -> UInt32 {
        defer { numbers &+= 1 }
        return numbers
    }

    /// Whether the kernel has room for a monitor: those with the same patterns share one.
    func admits(_ content: AdvertisementMonitor) -> Bool {
        content.patterns.count <= Self.maximumPatterns
            && Set(monitors.values.map(\.content.patterns) + [content.patterns]).count <= Self.maximumMonitors
    }
}

extension ServedInterface {
    static let advertisementMonitorManager = ServedInterface(
        name: .advertisementMonitorManager,
        methods: [
            Method("RegisterMonitor", ["application": "o"]), Method("UnregisterMonitor", ["application": "o"]),
        ],
        properties: [Property("SupportedMonitorTypes", "as"), Property("SupportedFeatures", "as")])
}

// AdvertisementMonitorManager1: src/adv_monitor.c.
extension BluetoothService {
    /// The applications of a program, and the monitors of an application: others are refused, or released.
    private static let maximumApplications = 16
    private static let maximumMonitors = 64

    func addMonitorManager() {
        guard adapter.isExperimental, adapter.version.has(.monitors) else { return }
        // The virtual controller does not look for patterns: it has no vendor commands for that.
        let properties = [
            ("SupportedMonitorTypes", Value.strings(["or_patterns"])), ("SupportedFeatures", .strings([])),
        ]
        objects.register(.advertisementMonitorManager, properties, at: adapter.path)
    }

    func performMonitorManager(_ method: String, _ call: ReceivedCall) {
        guard let sender = call.sender, let path = call.arguments.first?.path else {
            return fail(call, .invalidArguments)
        }
        let program = program(sender).id
        let same = monitors.applications.first { $1.program == program && $1.path == path }?.key
        guard method == "RegisterMonitor" else {
            guard let same else { return fail(call, .doesNotExist) }
            endMonitoring(same, releases: true)
            return reply(to: call)
        }
        guard same == nil else { return fail(call, .alreadyExists) }
        let own = monitors.applications.values.filter { $0.program == program }
        guard own.count < Self.maximumApplications, let changes = changes(at: path, of: sender) else {
            return fail(call, .failed("Failed to create Adv Monitor app"))
        }
        let number = monitors.take()
        monitors.applications[number] = ProgramMonitors.Application(
            program: program, owner: sender, path: path, changes: changes, registering: call)
        self.call(sender, path, .objectManager, "GetManagedObjects", reply: "a{oa{sa{sv}}}") { service, result in
            service.readMonitors(number, try? result.get().first)
        }
    }

    private func changes(at path: ObjectPath, of name: BusName) -> Connection.Subscription? {
        connection.assumeIsolated { connection in
            try? connection.listen(to: MatchRule(sender: name, path: path, interface: .objectManager)) {
                [weak self] signal in self?.assumeIsolated { $0.changeMonitors(signal, of: name) }
            }
        }
    }

    /// Without objects, or with none that are monitors, the path is registered all the same: bleak adds its monitor later.
    private func readMonitors(_ number: UInt32, _ objects: Value?) {
        guard let call = monitors.applications[number]?.registering.take() else { return }
        reply(to: call)
        for entry in objects?.entries ?? [] { addMonitor(entry.key.path, entry.value, to: number) }
    }

    private func changeMonitors(_ signal: Signal, of name: BusName) {
        guard
            let (number, application) = monitors.applications.first(where: {
                $1.owner == name && $1.path == signal.path
            })
        else { return }
        let (path, interfaces) = (signal.arguments.first?.path, signal.arguments.last)
        switch signal.member {
        case "InterfacesAdded": addMonitor(path, interfaces, to: number)
        case "InterfacesRemoved":
            guard let path, interfaces?.strings?.contains(InterfaceName.advertisementMonitor.text) == true,
                let id = application.monitors[path]
            else { return }
            endMonitor(id, releases: false)
        default: break
        }
    }

    private func addMonitor(_ path: ObjectPath?, _ interfaces: Value?, to number: UInt32) {
        guard let path, let properties = interfaces?[InterfaceName.advertisementMonitor.text],
            let application = monitors.applications[number], path.text.hasPrefix(application.path.text),
            application.monitors[path] == nil
        else { return }
        guard let content = AdvertisementMonitor(properties), application.monitors.count < Self.maximumMonitors,
            monitors.admits(content)
        else { return tell(application.owner, path, .advertisementMonitor, "Release") }
        let id = monitors.take()
        monitors.applications[number]?.monitors[path] = id
        monitors.monitors[id] = ProgramMonitors.Monitor(application: number, path: path, content: content)
        request(application.program, .central(.monitor(id: id, content.patterns)))
        tell(application.owner, path, .advertisementMonitor, "Activate")
    }

    // MARK: Devices

    /// An advertisement has a pattern of a monitor.
    func monitored(_ id: UInt32, _ peer: DeviceAddress, _ rssi: Int8) {
        let change = monitors.monitors[id]?.content.hear(peer, rssi: rssi, at: present)
        if let change { tell(change, id, peer) }
        watchForEnd(of: peer, id)
    }

    /// A device that is not heard for a while has gone.
    private func watchForEnd(of peer: DeviceAddress, _ id: UInt32) {
        monitors.monitors[id]?.ends.removeValue(forKey: peer)?.cancel()
        guard let monitor = monitors.monitors[id], let thresholds = monitor.content.thresholds,
            monitor.content.isTracking(peer)
        else { return }
        let due = loop.now.advanced(by: thresholds.lowTimeout)
        monitors.monitors[id]?.ends[peer] = loop.call(at: due) { [weak self] in
            self?.assumeIsolated { service in
                service.monitors.monitors[id]?.ends[peer] = nil
                service.monitors.monitors[id]?.content.lose(peer)
                service.tell(.lost, id, peer)
            }
        }
    }

    private func tell(_ change: AdvertisementMonitor.Change, _ id: UInt32, _ peer: DeviceAddress) {
        guard let monitor = monitors.monitors[id], let owner = monitors.applications[monitor.application]?.owner
        else { return }
        flush()
        tell(owner, monitor.path, .advertisementMonitor, change.member, [.path(path(of: peer))])
    }

    /// The power is off: what is there cannot be heard any more.  btd_adv_monitor_power_down.
    func loseMonitored() {
        for (id, monitor) in monitors.monitors.sorted(by: { $0.key < $1.key }) {
            for peer in monitor.ends.keys.sorted(by: { $0.number < $1.number }) {
                monitors.monitors[id]?.ends.removeValue(forKey: peer)?.cancel()
                tell(.lost, id, peer)
            }
        }
    }

    /// A device is not known any more.
    func forgetMonitored(_ peer: DeviceAddress) {
        for id in monitors.monitors.keys {
            monitors.monitors[id]?.ends.removeValue(forKey: peer)?.cancel()
            monitors.monitors[id]?.content.forget(peer)
        }
    }

    // MARK: Ends

    /// A program has left the bus, or all have.
    func endMonitoring(of program: ProgramID) {
        let numbers = monitors.applications.filter { $1.program == program }.keys.sorted()
        for number in numbers { endMonitoring(number, releases: false) }
    }

    /// The adapter goes.
    func endMonitoring() {
        for number in monitors.applications.keys.sorted() { endMonitoring(number, releases: true) }
    }

    private func endMonitoring(_ number: UInt32, releases: Bool) {
        guard let application = monitors.applications[number] else { return }
        for (_, id) in application.monitors.sorted(by: { $0.key < $1.key }) { endMonitor(id, releases: releases) }
        monitors.applications[number] = nil
        connection.assumeIsolated { $0.cancel(application.changes) }
        if let call = application.registering { fail(call, .failed("Adv Monitor app destroyed")) }
    }

    private func endMonitor(_ id: UInt32, releases: Bool) {
        guard let monitor = monitors.monitors.removeValue(forKey: id),
            let application = monitors.applications[monitor.application]
        else { return }
        monitors.applications[monitor.application]?.monitors[monitor.path] = nil
        for end in monitor.ends.values { end.cancel() }
        request(application.program, .central(.stopMonitoring(id: id)))
        if releases { tell(application.owner, monitor.path, .advertisementMonitor, "Release") }
    }
}
