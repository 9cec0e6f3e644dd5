import Foundation
import Testing
import os.log

@testable import os

/// Code of apps that imports `os` or `os.log`.
@Suite struct LoggerTests {
    @Test func `A message has its values, except private ones`() {
        let (name, key) = ("strap", 1234)
        let message: OSLogMessage = "found \(name, privacy: .public), key \(key, privacy: .private), \(3) times"
        #expect(message.text == "found strap, key <private>, 3 times")
    }

    @Test func `The functions of apps compile, and write`() {
        let logger = Logger(subsystem: "app", category: "bluetooth")
        logger.info("connected after \(2.5) s")
        logger.log(level: .error, "lost")
        let log = OSLog(subsystem: "app", category: "bluetooth")
        os_log("%{public}d bpm", log: log, type: .info, 62)
        os_log(.fault, log: log, "no value")
        os_log("\(62) bpm")
        #expect(log.isEnabled(type: .debug) && !OSLog.disabled.isEnabled(type: .fault))
    }
}
