import Basics
import Glibc

/// Why an adapter cannot be used.
enum AdapterFailure: Error, Equatable {
    /// A system call failed with this `errno(3)`.
    case system(code: Int32)
    /// The kernel refused a request of the Management API.
    case refused(ManagementStatus)
    /// The kernel's answer is not as specified.
    case malformed(Malformed)
    /// The kernel did not answer.
    case noAnswer
    case noLowEnergy
    /// The kernel could not set it up, or does so now.
    case notSetUp
    /// Programs use this number of connections through bluetoothd.
    case connected(Int)
    /// The process that restores the adapter afterwards does not start, for this reason.
    case noKeeper(String)

    /// A message: the problem, then the fix.
    func message(about adapter: UInt16) -> Obstacle {
        let (problem, fix) = explanation(of: adapter)
        return Obstacle(.environment, "cannot use hci\(adapter): \(problem)\(fix.isEmpty ? "" : " (\(fix))")")
    }

    private func explanation(of adapter: UInt16) -> (problem: String, fix: String) {
        switch self {
        case .system(EPERM), .system(EACCES), .refused(.permissionDenied):
            (
                "the capability CAP_NET_ADMIN is missing",
                "give it to the program: sudo setcap cap_net_admin+ep \"$(realpath \"$(command -v lubdub)\")\"; "
                    + "or use sudo lubdub"
            )
        case .system(EAFNOSUPPORT), .system(EPROTONOSUPPORT):
            ("this kernel has no Bluetooth", "load its module: sudo modprobe bluetooth")
        case .system(ENODEV), .refused(.invalidIndex):
            ("there is no such adapter", "see lubdub doctor, which lists this machine's adapters")
        case .system(ERFKILL), .refused(.rfkilled):
            ("rfkill has switched it off", "sudo rfkill unblock bluetooth, or the switch of the laptop")
        case .system(EUSERS):
            ("another program has it to itself", "end that program, for example another lubdub, or use another adapter")
        case .system(EBUSY), .refused(.busy):
            ("the kernel is busy with it", "try again; if that does not help: sudo hciconfig hci\(adapter) down")
        case .system(ETIMEDOUT), .noAnswer:
            ("it does not answer", "plug it in again; the kernel's log may have the reason: sudo dmesg")
        case .system(let code):
            (unsafe String(cString: strerror(code)), "the kernel's log may have the reason: sudo dmesg")
        case .refused(let status):
            ("the kernel refused it with the management status 0x\(String(status.rawValue, radix: 16))", "")
        case .malformed(let malformed): ("the kernel's answer is malformed: \(malformed)", "")
        case .noKeeper(let reason): (reason, "")
        case .notSetUp:
            (
                "the kernel could not set it up, perhaps for lack of its firmware",
                "see lubdub doctor --radio hci:\(adapter), or try again if it was just plugged in"
            )
        case .noLowEnergy: ("it does not support Bluetooth LE", "use another adapter")
        case .connected(let count):
            (
                "it has \(count.counted("connection")) through bluetoothd",
                "disconnect: bluetoothctl disconnect; or use another adapter"
            )
        }
    }
}
