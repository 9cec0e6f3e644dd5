import Basics
import FoundationEssentials
import Glibc
import Testing

@testable import CommandLineTool
@testable import CommandSupport
@testable import Drivers

@Suite struct DiagnosisTests {
    /// A laptop where all is well; each row spoils something.
    private static let well: MachineFacts = {
        var facts = MachineFacts()
        facts.kernel.release = "6.12.1-amd64"
        (facts.kernel.hasBluetooth, facts.kernel.hasModule) = (true, true)
        facts.kernel.interfaces = ["hci0"]
        (facts.kernel.makesAdapters, facts.kernel.hasAdapterMaker) = (true, true)
        facts.switches = [hci0(soft: false)]
        facts.daemon = .answering([strong])
        facts.program = "/usr/libexec/bluetooth/bluetoothd"
        facts.version = DaemonVersion(5, 82)
        facts.configuration = DaemonConfiguration("[General]\nDeviceID = false\n")
        facts.means = MachineFacts.Means(
            user: 1000, groups: ["users"], installer: .apt, services: .systemd, hasRfkill: true,
            administersNetwork: true, executable: "/usr/bin/lubdub")
        facts.freePort = 6402
        return facts
    }()

    private static let strong = MachineFacts.Adapter(
        name: "hci0", address: "00:AA:01:00:00:00/public", freeAdvertisements: 5, roles: ["central", "peripheral"])

    private static let usb = MachineFacts.USBAdapter(
        path: "/sys/class/bluetooth/hci0/device/..", vendor: "0bda", isSuspended: true)

    private static func hci0(soft: Bool, hard: Bool = false) -> MachineFacts.Switch {
        MachineFacts.Switch(id: "rfkill3", name: "hci0", isSoftBlocked: soft, isHardBlocked: hard)
    }

    struct Row: Sendable, CustomStringConvertible {
        let code: MachineCode
        let subject: String
        var level = DoctorFinding.Level.problem
        let fix: String?
        /// Whether `serve --radio bluez` would work nevertheless.
        var works = false
        var wanted = WantedRadio(name: "bluez", adapters: [])
        let spoil: @Sendable (inout MachineFacts) -> Void

        var description: String { "\(code)" }
    }

    private static let sed =
        "sudo sed -i -e '/^%\\b/d' -e '/^\\[General\\]/a % = ?' /etc/bluetooth/main.conf"
        + " && sudo systemctl restart bluetooth"

    private static func setting(_ key: String, _ value: String) -> String {
        String(sed.map { $0 == "%" ? key : $0 == "?" ? value : String($0) }.joined())
    }

    static let rows: [Row] = [
        Row(code: .noBluetooth, subject: "kernel", fix: nil) {
            ($0.kernel.hasBluetooth, $0.kernel.hasModule, $0.daemon) = (false, false, .answering([]))
            $0.kernel.interfaces = []
        },
        Row(code: .noBluetooth, subject: "kernel", fix: "sudo apt-get install linux-image-amd64") {
            ($0.kernel.hasBluetooth, $0.kernel.hasModule, $0.daemon) = (false, false, .answering([]))
            $0.kernel.interfaces = []
            $0.kernel.release = "6.1.0-56-cloud-amd64"
        },
        Row(code: .notLoaded, subject: "kernel", fix: "sudo modprobe bluetooth") {
            ($0.kernel.hasBluetooth, $0.daemon) = (false, .answering([]))
            $0.kernel.interfaces = []
        },
        Row(code: .otherNamespace, subject: "kernel", level: .hint, fix: nil, works: true) {
            $0.kernel.socketError = EAFNOSUPPORT
        },
        Row(code: .socketsForbidden, subject: "kernel", level: .hint, fix: nil, works: true) {
            $0.kernel.socketError = EPERM
        },
        Row(
            code: .noCapability, subject: "capability", level: .hint,
            fix: "sudo setcap cap_net_admin+ep /usr/bin/lubdub", works: true
        ) { $0.means.administersNetwork = false },
        Row(code: .adapterTaken, subject: "hci0", fix: "kill 812") {
            $0.kernel.states = ["hci0": AdapterState(use: .taken, supportsLowEnergy: nil)]
            ($0.kernel.users, $0.daemon) = (["hci0": 812], .answering([]))
        },
        Row(code: .adapterTaken, subject: "hci0", fix: nil) {
            $0.kernel.states = ["hci0": AdapterState(use: .taken, supportsLowEnergy: nil)]
            $0.daemon = .answering([])
        },
        Row(
            code: .adapterNotSetUp, subject: "hci0",
            fix: "sudo apt-get install firmware-realtek && sudo modprobe --remove btusb && sudo modprobe btusb"
        ) {
            $0.kernel.states = ["hci0": AdapterState(use: .notSetUp, supportsLowEnergy: nil)]
            ($0.kernel.usb, $0.daemon) = (["hci0": usb], .answering([]))
        },
        Row(code: .adapterNotSetUp, subject: "hci0", fix: nil) {
            $0.kernel.states = ["hci0": AdapterState(use: .notSetUp, supportsLowEnergy: nil)]
            $0.daemon = .answering([])
        },
        Row(code: .noLowEnergy, subject: "hci0", fix: nil) {
            $0.kernel.states = ["hci0": AdapterState(use: .free, supportsLowEnergy: false)]
        },
        Row(
            code: .noSuchAdapter, subject: "hci7", fix: "lubdub doctor --radio bluez:hci0",
            wanted: WantedRadio(name: "bluez", adapters: ["hci7"])
        ) { _ in },
        Row(
            code: .noSuchAdapter, subject: "hci1", fix: "lubdub doctor --radio hci:0",
            wanted: WantedRadio(name: WantedRadio.adapters, adapters: ["hci1"])
        ) { _ in },
        Row(
            code: .adapterSuspended, subject: "hci0", level: .hint,
            fix: "echo on | sudo tee \(usb.path)/power/control", works: true,
            wanted: WantedRadio(name: WantedRadio.adapters, adapters: ["hci0"])
        ) { $0.kernel.usb = ["hci0": usb] },
        Row(code: .noAdapter, subject: "adapter", fix: nil) {
            ($0.kernel.interfaces, $0.switches, $0.daemon) = ([], [], .answering([]))
        },
        Row(code: .noDriver, subject: "usb", fix: "sudo modprobe btusb") {
            ($0.kernel.interfaces, $0.switches, $0.daemon) = ([], [], .answering([]))
            $0.kernel.driverless = ["1-4:1.0"]
        },
        Row(code: .softBlocked, subject: "rfkill", fix: "sudo rfkill unblock bluetooth") {
            $0.switches = [hci0(soft: true)]
        },
        Row(code: .softBlocked, subject: "rfkill", fix: "echo 0 | sudo tee /sys/class/rfkill/rfkill3/soft") {
            ($0.switches, $0.means.hasRfkill) = ([hci0(soft: true)], false)
        },
        Row(code: .softBlocked, subject: "rfkill", fix: "sudo rfkill unblock bluetooth") {
            $0.switches = [
                MachineFacts.Switch(
                    id: "rfkill0", name: "tpacpi_bluetooth_sw", isSoftBlocked: true, isHardBlocked: false)
            ]
            ($0.kernel.interfaces, $0.daemon) = ([], .answering([]))
        },
        Row(code: .hardBlocked, subject: "rfkill", fix: nil) { $0.switches = [hci0(soft: true, hard: true)] },
        Row(code: .noBus, subject: "bus", fix: "sudo systemctl start dbus") {
            ($0.bus, $0.daemon) = (
                .unreachable("no bus at \"unix:path=/var/run/dbus/system_bus_socket\": No such file"), .unasked
            )
        },
        Row(code: .noBus, subject: "bus", fix: "sudo mkdir -p /run/dbus && sudo dbus-daemon --system --fork") {
            ($0.bus, $0.daemon, $0.means.services) = (.unreachable("no bus"), .unasked, nil)
        },
        Row(code: .noBus, subject: "bus", fix: "sudo pacman -S dbus") {
            ($0.bus, $0.daemon, $0.hasBusDaemon) = (.unreachable("no bus"), .unasked, false)
            $0.means.installer = .pacman
        },
        Row(code: .noBus, subject: "bus", fix: "unset DBUS_SYSTEM_BUS_ADDRESS") {
            ($0.bus, $0.daemon) = (.unasked(address: "tcp:host=example.org"), .unasked)
        },
        Row(code: .busRefuses, subject: "bus", fix: "sudo systemctl restart dbus") {
            ($0.bus, $0.daemon) = (.refused("no"), .unasked)
        },
        Row(code: .noDaemon, subject: "bluez", fix: "sudo apt-get install bluez") {
            ($0.program, $0.version, $0.daemon) = (nil, nil, .absent)
        },
        Row(code: .noDaemon, subject: "bluez", fix: "sudo dnf install bluez") {
            ($0.program, $0.version, $0.daemon, $0.means.installer) = (nil, nil, .absent, .dnf)
        },
        Row(code: .daemonStopped, subject: "bluetoothd", fix: "sudo systemctl start bluetooth") {
            $0.daemon = .absent
        },
        Row(code: .daemonStopped, subject: "bluetoothd", fix: "rc-service bluetooth start") {
            ($0.daemon, $0.means.services, $0.means.user) = (.absent, .openRC, 0)
        },
        Row(code: .daemonSilent, subject: "bluetoothd", fix: "sudo systemctl restart bluetooth") {
            $0.daemon = .silent
        },
        Row(
            code: .callsForbidden, subject: "policy",
            fix: "sudo usermod --append --groups bluetooth \"$(id -un)\""
        ) { ($0.daemon, $0.means.allowedGroups) = (.forbidden, ["bluetooth"]) },
        Row(
            code: .callsForbidden, subject: "policy",
            fix: "echo '<busconfig><policy user=\"1000\"><allow send_destination=\"org.bluez\"/></policy></busconfig>'"
                + " | sudo tee /etc/dbus-1/system.d/lubdub.conf"
        ) { ($0.daemon, $0.means.allowedGroups) = (.forbidden, ["users"]) },
        Row(code: .adapterUnknown, subject: "hci0", fix: "sudo systemctl restart bluetooth") {
            $0.daemon = .answering([])
        },
        Row(code: .switchedOff, subject: "hci0", level: .hint, fix: "bluetoothctl power on", works: true) {
            $0.daemon = .answering([MachineFacts.Adapter(name: "hci0", isPowered: false)])
        },
        Row(code: .noPeripheral, subject: "hci0", fix: nil) {
            $0.daemon = .answering([MachineFacts.Adapter(name: "hci0", roles: ["central"])])
        },
        Row(code: .noPeripheral, subject: "hci0", fix: nil) {
            $0.daemon = .answering([MachineFacts.Adapter(name: "hci0", servesAttributes: false)])
        },
        Row(code: .noPeripheral, subject: "hci0", fix: nil) {
            $0.daemon = .answering([MachineFacts.Adapter(name: "hci0", freeAdvertisements: nil)])
        },
        Row(code: .advertisementsUsed, subject: "hci0", fix: "sudo systemctl restart bluetooth") {
            $0.daemon = .answering([MachineFacts.Adapter(name: "hci0", freeAdvertisements: 0)])
        },
        Row(code: .classicOnly, subject: "configuration", fix: setting("ControllerMode", "dual")) {
            $0.configuration = DaemonConfiguration("[General]\nDeviceID=false\nControllerMode = bredr")
        },
        Row(
            code: .intervalsIgnored, subject: "intervals", level: .hint, fix: setting("Experimental", "true"),
            works: true
        ) { $0.version = DaemonVersion(5, 76) },
        Row(
            code: .secondInformation, subject: "information", level: .hint, fix: setting("DeviceID", "false"),
            works: true
        ) { $0.configuration = DaemonConfiguration("[General]\n#DeviceID = false\n[Policy]\nDeviceID = false") },
        Row(code: .noVirtualAdapters, subject: "vhci", level: .hint, fix: "sudo modprobe hci_vhci", works: true) {
            $0.kernel.makesAdapters = false
        },
        Row(code: .portTaken, subject: "port", level: .hint, fix: "ss -ltnp 'sport = :6402'", works: true) {
            $0.freePort = 6403
        },
        Row(
            code: .portsTaken, subject: "port",
            fix: "lubdub serve scenarios/resting.json --controller tcp:127.0.0.1:0", works: true
        ) { $0.freePort = nil },
    ]

    @Test(arguments: rows) func `Each problem is found with its fix, and nothing else`(row: Row) throws {
        var facts = Self.well
        row.spoil(&facts)
        let diagnosis = Diagnosis(facts, for: row.wanted)
        let ill = diagnosis.findings.filter { $0.level != .ok }
        let finding = try #require(ill.first)
        #expect(ill.count == 1, "\(ill)")
        #expect((finding.code, finding.subject) == (row.code, row.subject))
        #expect((finding.level, finding.command) == (row.level, row.fix))
        #expect(finding.command != nil || finding.advice != nil)
        let bluez = try #require(diagnosis.radios().first { $0.radio == "bluez" })
        #expect(bluez.works == row.works)
        #expect(row.works || bluez.says.contains(row.code.rawValue), "\(bluez)")
    }

    @Test func `Every code has a row and an explanation, and none is one of documents`() {
        #expect(Set(Self.rows.map(\.code)) == Set(MachineCode.allCases))
        for code in MachineCode.allCases {
            #expect(code.rawValue.hasPrefix("LD02") && code.rawValue.utf8.count == 6)
            #expect(code.explanation.hasSuffix("."))
        }
    }

    @Test func `The page for laptops quotes the findings and their fixes`() throws {
        let path = #filePath.dropLast("/Tests/CommandLineToolTests/Doctor/DiagnosisTests.swift".count)
        let page = try String(contentsOfFile: path + "/Documentation/laptop.md", encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("(LD0") }
        #expect(lines.count >= 15)
        for line in lines {
            let cells = line.split(separator: "|").map { trimmed($0) }
            let parts = cells[0].dropFirst().dropLast(2).split(separator: " (")
            let code = try #require(MachineCode(rawValue: String(parts.last ?? "")))
            let quote = parts.dropLast().joined(separator: " (").split(separator: "...").first ?? ""
            let findings = Self.rows.filter { $0.code == code }.compactMap { row in
                var facts = Self.well
                row.spoil(&facts)
                return Diagnosis(facts, for: row.wanted).findings.first { $0.code == code }
            }
            #expect(findings.contains { $0.found.hasPrefix(quote) }, "\(line)")
            let commands = (cells.last ?? "").split(separator: "`").filter { $0.hasPrefix("sudo ") }
            #expect(commands.allSatisfy { word in findings.contains { $0.command == String(word) } }, "\(line)")
        }
    }

    @Test func `On a complete machine everything works except unsupported radios`() {
        let diagnosis = Diagnosis(Self.well)
        #expect(diagnosis.findings.allSatisfy { $0.level == .ok })
        #expect(diagnosis.radios().allSatisfy { $0.works })
    }

    @Test(
        arguments: [
            ("5.77", "", false, true), ("5.66", "", true, true), ("5.66", "Experimental = true", false, true),
            ("5.66", "Experimental = false", false, false), ("6.0", "", false, true),
        ] as [(String, String, Bool, Bool)])
    func `Intervals are supported from 5.77 on, or by experimental interfaces`(
        version: String, line: String, isExperimental: Bool, areHeeded: Bool
    ) {
        var facts = Self.well
        facts.version = DaemonVersion(version)
        facts.isExperimental = isExperimental
        facts.configuration = DaemonConfiguration("[General]\nDeviceID=false\n\(line)\n")
        #expect(Diagnosis(facts).findings.contains { $0.code == .intervalsIgnored } == !areHeeded)
    }

    @Test(
        arguments: [
            ("virtual", [], 0), ("bluez", [], 0), ("bluez", ["hci1"], 0), ("bluez", ["hci0"], 3),
            ("bluez", ["hci7"], 3),
            ("bluez", ["hci1", "hci0"], 3), ("hci:N", ["hci1"], 0), ("hci:N", ["hci0"], 3), ("hci:N", ["hci7"], 3),
        ] as [(String, [String], Int32)])
    func `The status is that of the radio that is needed`(radio: String, adapters: [String], status: Int32) {
        var facts = Self.well
        facts.kernel.interfaces = ["hci0", "hci1"]
        facts.switches = [Self.hci0(soft: true)]
        facts.daemon = .answering([Self.strong, MachineFacts.Adapter(name: "hci1")])
        let report = DoctorReport(Diagnosis(facts, for: WantedRadio(name: radio, adapters: adapters)))
        #expect(report.code.status == status)
    }

    @Test(
        arguments: [
            (["hci0"], true, MachineFacts.Daemon.absent, true), (["hci0"], false, .absent, false),
            ([], true, .absent, false),
            // Another program has it to itself.
            (["hci0"], true, .answering([]), false),
        ] as [([String], Bool, MachineFacts.Daemon, Bool)])
    func `Adapters without bluetoothd need the capability`(
        adapters: [String], isCapable: Bool, daemon: MachineFacts.Daemon, works: Bool
    ) {
        var facts = Self.well
        (facts.kernel.interfaces, facts.means.administersNetwork, facts.daemon) = (adapters, isCapable, daemon)
        let report = DoctorReport(Diagnosis(facts, for: WantedRadio(name: "hci:N", adapters: [])))
        #expect(report.code == (works ? .success : .environment))
    }

    @Test func `A finding has its fix below it, and a radio its line`() {
        var facts = Self.well
        facts.daemon = .absent
        let report = DoctorReport(Diagnosis(facts, for: WantedRadio(name: "bluez", adapters: [])))
        let lines = report.lines(Paint(isOn: false)).map(\.description)
        let place = lines.firstIndex { $0.hasSuffix("bluetoothd is not running (LD0212)") } ?? 0
        #expect(lines[place].hasPrefix("bluetoothd         problem  "))
        #expect(lines[place + 1] == String(repeating: " ", count: 28) + "$ sudo systemctl start bluetooth")
        #expect(lines.contains("bluez              no       see LD0212"))
        #expect(report.lines(Paint(isOn: true)).contains { $0.description.contains("\u{1B}[33mproblem\u{1B}[0m") })
    }

    @Test func `JSON has every key, whatever is known`() {
        let finding = DoctorFinding(
            subject: "bus", level: .problem, code: .noBus, found: "no \"bus\"", command: "a 'b'", advice: nil)
        #expect(
            finding.json
                == #"{"subject": "bus", "level": "problem", "code": "LD0209", "found": "no \"bus\"", "mend": "a 'b'", "advice": null}"#
        )
        #expect(
            DoctorFinding(subject: "port", level: .ok, code: nil, found: "free", command: nil, advice: nil).json
                == #"{"subject": "port", "level": "ok", "code": null, "found": "free", "mend": null, "advice": null}"#)
    }
}
