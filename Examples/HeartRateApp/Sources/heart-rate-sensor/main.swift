// A sensor for `lubdub check`, which examines it over the controller at LUBDUB_CONTROLLER.  With the name of a bug, a buggy one;
// with `needsPairing`, one that centrals have to pair with.
import BuggyHeartRate
import Foundation
import HeartRateSensor

let word = CommandLine.arguments.dropFirst().first
let bug = word.flatMap { SensorBug(rawValue: $0) }
let sensor = bug.map { BuggySensor($0) } ?? HeartRateSensor(needsPairing: word == "needsPairing")
sensor.start()
RunLoop.main.run()
