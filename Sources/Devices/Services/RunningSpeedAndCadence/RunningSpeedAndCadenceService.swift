import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Running Speed and Cadence Service, 0x1814.  Running Speed and Cadence Service 1.0.
    package static let runningSpeedAndCadence = ServiceDescription(
        "running_speed_and_cadence", .runningSpeedAndCadence,
        "speed, cadence, stride length, and a total distance that clients can set",
        example: [
            "service": "running_speed_and_cadence", "value": 3.5, "cadence": 168, "stride_length": 1.25,
            "total_distance": true, "running": true, "location": "in_shoe", "period": "1 s",
        ],
        fields: [
            RunningFields.speed, RunningFields.period, RunningFields.cadence,
            RunningFields.strideLength, RunningFields.totalDistance,
            RunningFields.running, RunningFields.location,
        ],
        characteristics: [
            CharacteristicDescription(
                .rscMeasurement, "RSC Measurement", .notify, format: RSCMeasurement.self,
                value: ValueDescription(
                    .number(RunningFields.speeds), key: "speed_mps", unit: "m/s", label: "speed", example: "3.5",
                    tolerance: 0.003),
                members: [
                    ValueDescription(
                        .number(RunningFields.cadences), named: "cadence", key: "cadence", unit: "1/min"),
                    ValueDescription(
                        .number(RunningFields.strideLengths), named: "stride_length", key: "stride_length_m", unit: "m",
                        label: "stride length", example: "1.25", field: RunningFields.strideLength.key),
                    ValueDescription(
                        .number(RunningFields.distances), named: "total_distance", key: "total_distance_m", unit: "m",
                        label: "total distance", isSettable: false,
                        field: RunningFields.totalDistance.key),
                    ValueDescription(.truth, named: "running", key: "running", field: RunningFields.running.key),
                ],
                client: ClientUse(
                    "running_speed", ["speed_mps": 3.5, "cadence": 168, "stride_length_m": 1.25, "running": true],
                    isMeasurement: true, expires: true,
                    row: ScreenFact("speed", unit: "m/s", key: "speed_mps", decimals: 2))),
            CharacteristicDescription(
                .rscFeature, "RSC Feature", .read, format: RSCFeature.self,
                value: ValueDescription(.structure, named: "features", isSettable: false, isEncodable: false),
                client: ClientUse("rsc_features", ["stride_length"], importance: .extra, isMeasurement: false)),
            CharacteristicDescription(
                .sensorLocation, "Sensor Location", .read, format: SensorLocation.self,
                value: ValueDescription(
                    .word(SensorLocation.names, first: 0), named: "location", field: RunningFields.location.key),
                client: ClientUse("sensor_location", "in_shoe", importance: .extra, isMeasurement: false)),
            // Table 3.1: present if the service has a procedure; Set Cumulative Value comes with the total distance.
            CharacteristicDescription(
                .scControlPoint, "SC Control Point", [.write, .indicate], format: SCControlPoint.self,
                value: ValueDescription(
                    .structure, named: "control_point", isSettable: false, isEncodable: false,
                    field: RunningFields.totalDistance.key),
                client: ClientUse(
                    "sc_control_point", ["response_to": 1, "result": 1], importance: .none, isMeasurement: false)),
        ],
        sensor: { RunningSpeedAndCadenceSensor($0) })
}

/// The keys of `running_speed_and_cadence` in a scenario.
package enum RunningFields {
    static let speeds = 0.0...255.99609375
    static let cadences = 0.0...255
    static let strideLengths = 0.0...655.35
    static let distances = 0.0...429_496_729.5
    /// m/s.
    package static let speed = Field.curve("value", speeds, standard: 3, "Speed in m/s.")
    package static let period = Field.period("Measurement interval.")
    /// Steps per minute; nil: computed from the steps of the device.
    package static let cadence = Field<Curve?>.optionalCurve(
        "cadence", cadences,
        "Cadence in steps per minute; by default, from the steps of `fitness`, or 160 without them.")
    /// Metres; nil: measurements do not have the field.
    package static let strideLength = Field<Curve?>.optionalCurve(
        "stride_length", strideLengths, "Stride length in m; without it, measurements do not have the field.")
    /// Metres; nil: the device has neither the total distance nor a control point.
    package static let totalDistance = Field<DerivedCurve?>.derivedOrCurve(
        "total_distance", distances,
        "Total distance in m; true to count a stride length (or 1 m) per step of `fitness`, or the speed without steps."
    )
    /// Nil: the device does not detect walking or running.
    package static let running = Field<Curve?>.truth(
        "running", "Whether the user runs; without it, the sensor does not detect walking or running.")
    /// Nil: the device does not have the characteristic.
    package static let location = Field.optionalWord("location", SensorLocation.names, "Sensor Location.")
}

extension RSCMeasurement: CharacteristicValue {
    /// `3.50 m/s, 168 steps/min, stride 1.25 m, 42.5 m, running`.
    package var words: String {
        let hundredths = (Int(speed) * 100 + 128) / 256
        var words = ["\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) m/s", "\(cadence) steps/min"]
        if let strideLength {
            words.append("stride \(strideLength / 100).\(strideLength / 10 % 10)\(strideLength % 10) m")
        }
        if let totalDistance { words.append("\(totalDistance / 10).\(totalDistance % 10) m") }
        if isRunning { words.append("running") }
        return words.joined(separator: ", ")
    }

    /// m/s, steps per minute or m.
    package func number(of key: String?) -> Double? {
        switch key {
        case "cadence": Double(cadence)
        case "stride_length_m": strideLength.map { Double($0) / 100 }
        case "total_distance_m": totalDistance.map { Double($0) / 10 }
        default: Double(speed) / 256
        }
    }
}

extension RSCFeature: CharacteristicValue {
    /// `features: stride_length, total_distance`.
    package var words: String { "features: \(rawValue == 0 ? "none" : namesOfSet.joined(separator: ", "))" }
}

extension SensorLocation: CharacteristicValue {
    /// `worn at: in_shoe`.
    package var words: String { "worn at: \(name ?? "place \(number)")" }
}

extension SCControlPoint: CharacteristicValue {
    /// `request 1`, or `response to 1: success`.
    package var words: String { response.map { "response to \($0.request): \($0.result)" } ?? "request \(opCode)" }
}
