import ATT
import Bluetooth
import Characteristics
import GATT
import LEHost
import Octets
import Scenarios
import ServiceFramework
import Services
import Simulation

// Running Speed and Cadence Service 1.0.
extension Check {
    private static let specification = "Running Speed and Cadence Service 1.0"
    private static let service = UUID.runningSpeedAndCadence
    private static let hasMeasurement = Prerequisite.characteristic(.rscMeasurement, of: service)
    private static let hasFeature = Prerequisite.characteristic(.rscFeature, of: service)
    private static let hasControlPoint = Prerequisite.characteristic(.scControlPoint, of: service)

    private static let requirement = ServiceRequirement(
        service: service, specification: specification, prefix: "running", isInSIGList: false,
        characteristics: [
            .init("measurement", .rscMeasurement, .notify, "section 3.1", .mandatory),
            .init("feature", .rscFeature, .read, "section 3.2", .mandatory),
            .init("location", .sensorLocation, .read, "section 3.3"),
            .init("control_point", .scControlPoint, [.write, .indicate], "section 3.4"),
        ],
        configurations: [
            .init(
                number: "measurement_configuration", uuid: .rscMeasurement, value: .notification,
                section: "section 3.1",
                prerequisite: hasMeasurement),
            .init(
                number: "control_point_configuration", uuid: .scControlPoint, value: .indication,
                section: "section 3.4", prerequisite: hasControlPoint),
        ])

    static let running: [Check] = requirement.declarationChecks + requirement.configurationChecks + values

    private static let values: [Check] = [
        Check(
            "running/features_are_defined", "RSC Feature has two octets, and its reserved bits are 0",
            "\(specification), section 3.2", if: hasFeature
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.readRunning(.rscFeature)
            let feature = try? RSCFeature(octets: octets[...])
            try peripheral.expect(
                feature.map { $0.rawValue & ~RSCFeature.defined == 0 } ?? false,
                "two octets with bits 5 to 15 set to 0",
                seen: octets.hex)
        },
        Check(
            "running/location_is_defined", "Sensor Location has a defined value", "\(specification), section 3.3",
            if: .characteristic(.sensorLocation, of: service)
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.readRunning(.sensorLocation)
            try peripheral.expect(
                (try? SensorLocation(octets: octets[...]))?.name != nil, "one octet from 00 to 10", seen: octets.hex)
        },
        Check(
            "running/notified_while_subscribed", "RSC Measurement is notified only while a client is subscribed",
            "\(specification), section 3.1", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.subscribeToRunning()
            let first = try peripheral.next(of: value.valueHandle, within: .seconds(10))
            try peripheral.expect(first != nil, "a notification within 10 s of the subscription", seen: "none")
            try peripheral.require(.unwantedValues)
            try peripheral.subscribe([], to: value)
            peripheral.wait(.seconds(1))  // notifications in flight
            let late = try peripheral.receivedValues(of: value.valueHandle, for: .seconds(5)).first
            try peripheral.expect(
                late == nil, "no notification after the configuration was set to 0x0000", seen: late?.octets.hex ?? "")
        },
        Check(
            "running/flags_explain_octets", "each measurement has exactly the fields that its flags announce",
            "\(specification), section 3.1", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            for octets in try peripheral.receiveRunning() {
                let value = try? RSCMeasurement(octets: octets[...])
                try peripheral.expect(
                    value?.octets == octets, "flags with bits 3 to 7 set to 0, and exactly the fields of the others",
                    seen: octets.hex)
            }
        },
        Check(
            "running/flags_match_features", "measurements have only fields that RSC Feature declares",
            "\(specification), sections 3.1 and 3.2", if: hasMeasurement, hasFeature
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.readRunning(.rscFeature)
            guard let feature = try? RSCFeature(octets: octets[...]) else {
                throw peripheral.failure(expected: "two octets in RSC Feature", seen: octets.hex)
            }
            // Bits 0 to 2 of both mean the same.
            let supported = UInt8(truncatingIfNeeded: feature.rawValue) & 0x07
            for measurement in try peripheral.receiveRunning() {
                try peripheral.expect(
                    (measurement.first ?? 0) & 0x07 & ~supported == 0,
                    "only flags of \(supported.inHex), the features of RSC Feature", seen: measurement.hex)
            }
        },
        follows("speed", nil, "Instantaneous Speed", "m/s", [3.5, 0, 200]) { Double($0.speed) / 256 },
        follows("cadence", "cadence", "Instantaneous Cadence", "steps per minute", [180, 0, 255]) {
            Double($0.cadence)
        },
        follows("stride_length", "stride_length", "Instantaneous Stride Length", "m", [1.25, 0, 300]) {
            $0.strideLength.map { Double($0) / 100 }
        },
        Check(
            "running/distance_can_be_set", "a device with a total distance has an SC Control Point",
            "\(specification), sections 3.2 and 3.4", if: hasFeature
        ) { peripheral throws(CheckExit) in
            let feature = try? RSCFeature(octets: peripheral.readRunning(.rscFeature)[...])
            guard feature?.contains(.totalDistance) == true else {
                throw .skipped("not applicable: bit 1 of RSC Feature, total distance, is 0")
            }
            try peripheral.expect(
                peripheral.find(.scControlPoint, of: service) != nil,
                "an SC Control Point, since there is a total distance",
                seen: "none")
        },
        Check(
            "running/sets_cumulative_value", "Set Cumulative Value sets the total distance",
            "\(specification), section 3.4", if: hasControlPoint, hasMeasurement
        ) { peripheral throws(CheckExit) in try peripheral.expectDistanceSet() },
        Check(
            "running/unknown_op_code", "SC Control Point answers an unknown Op Code with Op Code Not Supported",
            "\(specification), section 3.4", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            try peripheral.expectResponse(to: [0x7F], .opCodeNotSupported)
        },
        Check(
            "running/wrong_parameter", "SC Control Point answers a truncated distance with Invalid Parameter",
            "\(specification), section 3.4", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            try peripheral.expectResponse(to: [SCControlPoint.setCumulativeValueOpCode, 0x10], .invalidParameter)
        },
        Check(
            "running/control_point_unconfigured",
            "SC Control Point refuses requests with 0x81 while its responses are not indicated",
            "\(specification), sections 1.6 and 3.4", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.scControlPoint, of: service)
            try peripheral.subscribe([], to: value)
            let octets = SCControlPoint.setCumulativeValue(0).octets
            let error = try peripheral.refusal(
                of: .write(handle: value.valueHandle, value: octets), "a write of \(octets.hex) to SC Control Point")
            try peripheral.expect(
                error?.rawValue == SCControlPoint.configurationImproper,
                "Client Characteristic Configuration Descriptor Improperly Configured (0x81)",
                seen: error.map { "\($0)" } ?? "it was accepted")
        },
    ]

    /// A field follows a value of the scenario.
    private static func follows(
        _ id: String, _ value: String?, _ field: String, _ unit: String, _ numbers: [Double],
        in read: @escaping @Sendable (RSCMeasurement) -> Double?
    ) -> Check {
        Check(
            "running/follows_the_\(id)", "\(field) follows the \(id.replacing("_", with: " "))",
            "\(specification), section 3.1", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            let characteristic = try peripheral.subscribeToRunning()
            for number in numbers {
                try peripheral.setValue(
                    named: value, of: .runningSpeedAndCadence, to: number, "set the \(id.replacing("_", with: " "))")
                let received = try peripheral.next(of: characteristic.valueHandle, within: .seconds(10)) { received in
                    let sent = (try? RSCMeasurement(octets: received.octets[...])).flatMap(read)
                    return sent.map { abs($0 - number) < 0.01 } ?? false
                }
                try peripheral.expect(
                    received != nil, "a measurement of \(number) \(unit) within 10 s",
                    seen: peripheral.receivedValues.last { $0.handle == characteristic.valueHandle }?.octets.hex
                        ?? "none")
            }
        }
    }
}

extension Examiner {
    fileprivate mutating func readRunning(_ uuid: UUID) throws(CheckExit) -> [UInt8] {
        try read(characteristic(uuid, of: .runningSpeedAndCadence).valueHandle, uuid.name)
    }

    fileprivate mutating func subscribeToRunning() throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(.rscMeasurement, of: .runningSpeedAndCadence)
        try subscribe(.notification, to: value)
        return value
    }

    /// The measurements of 20 s; inconclusive if there are none.
    fileprivate mutating func receiveRunning() throws(CheckExit) -> [[UInt8]] {
        let value = try subscribeToRunning()
        let received = try receivedValues(of: value.valueHandle, for: .seconds(20)).map(\.octets)
        guard !received.isEmpty else { throw .inconclusive("no RSC Measurement within 20 s") }
        return received
    }

    /// Fails unless the control point indicates this response to a request.
    fileprivate mutating func expectResponse(to request: [UInt8], _ result: SCControlPoint.Result) throws(CheckExit) {
        let value = try characteristic(.scControlPoint, of: .runningSpeedAndCadence)
        try subscribe(.indication, to: value)
        try write(request, to: value.valueHandle, "SC Control Point")
        let received = try next(of: value.valueHandle, within: .seconds(30))?.octets
        let expected = SCControlPoint.response(to: request.first ?? 0, result).octets
        try expect(
            received == expected, "an indication of \(expected.hex) within 30 s of writing \(request.hex)",
            seen: received?.hex ?? "none")
    }

    /// In 1/10 m: a distance that no runner reaches during a check, and the most that one runs in the time of a check.
    private static let (distance, margin): (UInt32, UInt32) = (50_000_000, 10_000)

    fileprivate mutating func expectDistanceSet() throws(CheckExit) {
        let value = try subscribeToRunning()
        try expectResponse(to: SCControlPoint.setCumulativeValue(Self.distance).octets, .success)
        let next = try next(of: value.valueHandle, within: .seconds(10))?.octets
        let total = next.flatMap { try? RSCMeasurement(octets: $0[...]) }?.totalDistance
        try expect(
            total.map { Self.distance...Self.distance + Self.margin ~= $0 } ?? false,
            "a total distance from 5000 km on in the next measurement, as written", seen: next?.hex ?? "no measurement")
    }
}
