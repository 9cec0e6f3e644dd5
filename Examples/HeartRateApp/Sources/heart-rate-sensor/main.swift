// A sensor for `lubdub check`, which examines it over the controller at LUBDUB_CONTROLLER.  With the name of a bug, a buggy one.
import BuggyHeartRate
import Foundation
import HeartRateSensor

let bug = CommandLine.arguments.dropFirst().first.flatMap { SensorBug(rawValue: $0) }
let sensor = bug.map { BuggySensor($0) } ?? HeartRateSensor()
sensor.start()
dispatchMain()
