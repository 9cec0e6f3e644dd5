import FoundationEssentials
import Testing

@testable import CommandLineTool
@testable import CommandSupport

@Suite struct GatheringTests {
    /// Facts from files that exist below a folder of the test's own; a text that ends with `/` is a folder.
    private func facts(_ texts: [String: String], process: UInt32? = nil) throws -> MachineFacts {
        let root = FileManager.default.temporaryDirectory.path() + "/lubdub-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (path, text) in texts {
            let isFolder = path.hasSuffix("/")
            let folder = isFolder ? path : String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
            if !isFolder { try Data(text.utf8).write(to: URL(filePath: root + path)) }
            if path.contains("bin/") || path.hasSuffix("bluetoothd") {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: root + path)
            }
        }
        let files = FileTree(below: root)
        var facts = MachineFacts(files, release: "6.1")
        if let process { facts.read(process: process, files) }
        return facts
    }

    @Test func `A machine without any of it has nothing`() throws {
        let facts = try facts(["/etc/": ""])
        #expect(!facts.kernel.hasBluetooth && !facts.kernel.hasModule && !facts.kernel.makesAdapters)
        #expect(facts.kernel.interfaces.isEmpty && facts.switches.isEmpty && facts.program == nil)
        #expect(facts.configuration == nil && facts.means.installer == nil && facts.means.services == nil)
        #expect(!facts.hasBusDaemon)
    }

    @Test func `Adapters are the kernel's interfaces, and not their links`() throws {
        let facts = try facts([
            "/sys/class/bluetooth/hci1/": "", "/sys/class/bluetooth/hci0/": "", "/sys/class/bluetooth/hci0:11/": "",
            "/sys/class/bluetooth/rfcomm0/": "",
        ])
        #expect(facts.kernel.hasBluetooth)
        #expect(facts.kernel.interfaces == ["hci0", "hci1"])
    }

    @Test(arguments: ["", ".xz", ".zst", ".gz"]) func `A module may be packed`(completion: String) throws {
        let facts = try facts(["/lib/modules/6.1/kernel/net/bluetooth/bluetooth.ko\(completion)": "ELF"])
        #expect(facts.kernel.hasModule && !facts.kernel.hasBluetooth && !facts.kernel.hasAdapterMaker)
    }

    @Test func `A USB adapter is one without a driver only if it has none`() throws {
        func interface(_ name: String, number: String = "00", kind: String = "e0") -> [String: String] {
            let folder = "/sys/bus/usb/devices/\(name)"
            return [
                "\(folder)/bInterfaceClass": "\(kind)\n", "\(folder)/bInterfaceSubClass": "01\n",
                "\(folder)/bInterfaceProtocol": "01\n", "\(folder)/bInterfaceNumber": "\(number)\n",
            ]
        }
        var texts = interface("1-1:1.0").merging(interface("1-1:1.1", number: "01")) { $1 }
        texts.merge(interface("1-2:1.0")) { $1 }
        texts["/sys/bus/usb/devices/1-2:1.0/driver/"] = ""
        texts.merge(interface("1-3:1.0", kind: "03")) { $1 }
        #expect(try facts(texts).kernel.driverless == ["1-1:1.0"])
    }

    @Test func `A USB adapter has a vendor, and may be suspended`() throws {
        let facts = try facts([
            "/sys/class/bluetooth/hci0/device/": "", "/sys/class/bluetooth/hci0/idVendor": "8087\n",
            "/sys/class/bluetooth/hci0/power/control": "auto\n", "/sys/class/bluetooth/hci1/device/": "",
        ])
        #expect(facts.kernel.usb.keys.sorted() == ["hci0"])
        #expect(facts.kernel.usb["hci0"]?.vendor == "8087" && facts.kernel.usb["hci0"]?.isSuspended == true)
    }

    @Test func `The user of an adapter is the parent of its keeper`() throws {
        let facts = try facts([
            "/proc/813/cmdline": "lubdub\0--keep-adapter\u{0}0\0on\0",
            "/proc/813/status": "Name:\tlubdub\nPPid:\t812\n",
            "/proc/814/cmdline": "lubdub\0serve\0", "/proc/self/cmdline": "doctor\0--keep-adapter\u{0}1\0on\0",
        ])
        #expect(facts.kernel.users == ["hci0": 812])
    }

    @Test func `Switches are those of Bluetooth`() throws {
        let folder = "/sys/class/rfkill/rfkill"
        let facts = try facts([
            "\(folder)0/type": "wlan\n", "\(folder)1/type": "bluetooth\n", "\(folder)1/name": "hci0\n",
            "\(folder)1/soft": "1\n", "\(folder)1/hard": "0\n", "\(folder)2/type": "bluetooth\n",
        ])
        #expect(
            facts.switches == [
                MachineFacts.Switch(id: "rfkill1", name: "hci0", isSoftBlocked: true, isHardBlocked: false),
                MachineFacts.Switch(id: "rfkill2", name: "rfkill2", isSoftBlocked: false, isHardBlocked: false),
            ])
    }

    @Test func `The configuration is the one that bluetoothd was started with`() throws {
        let texts = [
            "/etc/bluetooth/main.conf": "[General]\n  DeviceID =  false \n#Experimental = true\n",
            "/other.conf": "[General]\nControllerMode=bredr\n",
            "/proc/7/cmdline": "/usr/libexec/bluetooth/bluetoothd\0-E\0-f\0/other.conf\0",
            "/usr/libexec/bluetooth/bluetoothd": "",
        ]
        let plain = try facts(texts)
        #expect(plain.configuration?["General", "DeviceID"] == "false")
        #expect(plain.configuration?["General", "Experimental"] == nil)
        #expect(plain.program == "/usr/libexec/bluetooth/bluetoothd")
        #expect(!plain.isExperimental)
        let started = try facts(texts, process: 7)
        #expect(started.isExperimental && started.configurationPath == "/other.conf")
        #expect(started.configuration?["General", "ControllerMode"] == "bredr")
        #expect(started.configuration?["General", "DeviceID"] == nil)
    }

    @Test func `Means are what is installed`() throws {
        let means = try facts([
            "/usr/bin/pacman": "", "/run/systemd/system/": "", "/usr/sbin/rfkill": "", "/usr/bin/dbus-broker": "",
        ])
        #expect(means.means.installer == .pacman && means.means.services == .systemd && means.means.hasRfkill)
        #expect(means.hasBusDaemon)
        #expect(try facts(["/sbin/rc-service": ""]).means.services == .openRC)
        #expect(try facts(["/usr/sbin/service": "", "/etc/init.d/": ""]).means.services == .scripts)
    }

    @Test(
        arguments: [
            ("<policy group=\"lp\"><allow send_destination=\"org.bluez\"/></policy>", ["lp"]),
            ("<policy group=\"lp\"><deny send_destination=\"org.bluez\"/></policy>", []),
            (
                "<policy group=\"lp\"></policy><policy user=\"root\"><allow send_destination=\"org.bluez\"/></policy>",
                []
            ),
            ("<allow send_destination=\"org.bluez\"/><policy group=", []), ("", []),
        ] as [(String, [String])])
    func `A policy names the groups that it allows`(text: String, groups: [String]) {
        #expect(MachineFacts.Means.groupsAllowed(by: text) == groups)
    }

    @Test(
        arguments: [
            ("5.66", "5.66"), ("5", nil), ("5.66.1", nil), ("", nil), ("a.b", nil), (".", nil),
        ] as [(String, String?)])
    func `A version is two numbers`(text: String, version: String?) {
        #expect(DaemonVersion(text)?.description == version)
    }
}
