// The app's core as a client of `lubdub run --client`: it prints what the app shows.  With the name of a bug, the buggy core.
import BuggyHeartRate
import Foundation
import HeartRate

func show(_ content: String) {
    FileHandle.standardOutput.write(Data("{\"heart_rate\": \(content)}\n".utf8))
}

let bug = CommandLine.arguments.dropFirst().first.flatMap { MonitorBug(rawValue: $0) }
let (monitor, buggy) = (HeartRateMonitor(), bug.map { BuggyMonitor($0) })
if let buggy {
    buggy.onChange = { bpm in show(bpm.map { "{\"bpm\": \($0)}" } ?? "null") }
    buggy.start()
} else {
    monitor.onChange = { measurement in
        let contact = measurement?.hasContact.map { ", \"contact\": \($0)" } ?? ""
        show(measurement.map { "{\"bpm\": \($0.bpm)\(contact)}" } ?? "null")
    }
    monitor.start()
}
dispatchMain()
