import ATT
import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Running Speed and Cadence Service 1.0.
extension Check {
    private static let specification = "Running Speed and Cadence Service 1.0"
    private static let service = UUID.runningSpeedAndCadence
    private static let hasMeasurement = Prerequisite.characteristic(.rscMeasurement, of: service)
    private static let hasFeature = Prerequisite.characteristic(.rscFeature, of: service)
    private static let hasControlPoint = Prerequisite.characteristic(.scControlPoint, of: service)

    private static let requirement = ServiceRequirement(
        service, specification, ids: "running",
        characteristics: [
            .init("measurement", .rscMeasurement, .notify, "section 3.1", .mandatory),
            .init("feature", .rscFeature, .read, "section 3.2", .mandatory),
            .init("location", .sensorLocation, .read, "section 3.3"),
            .init("control_point", .scControlPoint, [.write, .indicate], "section 3.4"),
        ],
        configurations: [
            .init("measurement_configuration", .rscMeasurement, .notification, "section 3.1"),
            .init("control_point_configuration", .scControlPoint, .indication, "section 3.4"),
        ])

    static let running: [Check] = requirement.declarationChecks + requirement.configurationChecks + values

    private static let values: [Check] = [
        requirement.valueCheck(
            "running/features_are_defined", "RSC Feature has two octets, and its reserved bits are 0", .rscFeature,
            "3.2", "two octets with bits 5 to 15 set to 0"
        ) { octets in (try? RSCFeature(octets: octets[...])).map { $0.rawValue & ~RSCFeature.defined == 0 } ?? false },
        requirement.valueCheck(
            "running/location_is_defined", "Sensor Location has a defined value", .sensorLocation, "3.3",
            "one octet from 00 to 10"
        ) { (try? SensorLocation(octets: $0[...]))?.name != nil },
        delivered(
            "running/notified_while_subscribed", .rsc, requirement.section("3.1"), within: .seconds(10)),
        each(
            .rsc, "running/flags_explain_octets", "each measurement has exactly the fields that its flags announce",
            requirement.section("3.1")
        ) { received in
            received.rsc?.octets == received.octets
                ? nil : "flags with bits 3 to 7 set to 0, and exactly the fields of the others"
        },
        Check(
            "running/flags_match_features", "measurements have only fields that RSC Feature declares",
            "\(specification), sections 3.1 and 3.2", recording: .values(for: .seconds(20)), if: hasMeasurement,
            hasFeature
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.read(.rscFeature, of: service)
            guard let feature = try? RSCFeature(octets: octets[...]) else {
                throw peripheral.failure(expected: "two octets in RSC Feature", seen: octets.text)
            }
            // Bits 0 to 2 of both mean the same.
            let supported = UInt8(truncatingIfNeeded: feature.rawValue) & 0x07
            for measurement in try peripheral.receive(.rsc, for: .seconds(20)).map(\.octets) {
                try peripheral.expect(
                    (measurement.first ?? 0) & 0x07 & ~supported == 0,
                    "only flags of \(supported.inHex), the features of RSC Feature", seen: measurement.text)
            }
        },
        runningIsPlausible,
        follows("speed", "Instantaneous Speed", to: [3.5, 0, 200], "m/s") { Double($0.speed) / 256 },
        follows("cadence", named: "cadence", "Instantaneous Cadence", to: [180, 0, 255], "steps per minute") {
            Double($0.cadence)
        },
        follows("stride_length", named: "stride_length", "Instantaneous Stride Length", to: [1.25, 0, 300], "m") {
            $0.strideLength.map { Double($0) / 100 }
        },
        Check(
            "running/distance_can_be_set", "a device with a total distance has an SC Control Point",
            "\(specification), sections 3.2 and 3.4", if: hasFeature
        ) { peripheral throws(CheckExit) in
            try peripheral.requireTotalDistance()
            try peripheral.expect(
                peripheral.find(.scControlPoint, of: service) != nil,
                "an SC Control Point, since there is a total distance",
                seen: "none")
        },
        Check(
            "running/sets_cumulative_value", "Set Cumulative Value sets the total distance",
            requirement.section("3.4"), if: hasControlPoint, hasMeasurement, hasFeature
        ) { peripheral throws(CheckExit) in
            try peripheral.requireTotalDistance()
            try peripheral.expectDistanceSet()
        },
        Check(
            "running/unknown_op_code", "SC Control Point answers an unknown Op Code with Op Code Not Supported",
            requirement.section("3.4"), if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            try peripheral.expectResponse(to: [0x7F], .opCodeNotSupported)
        },
        Check(
            "running/wrong_parameter",
            "SC Control Point answers a truncated distance with Invalid Parameter, or rejects it with "
                + "\(ATTError.invalidAttributeValueLength)",
            "\(specification), section 3.4; Core 6.0, Vol 3, Part F, section 3.4.5.1", if: hasControlPoint, hasFeature
        ) { peripheral throws(CheckExit) in
            try peripheral.requireTotalDistance()
            try peripheral.expectResponse(
                to: [SCControlPoint.setCumulativeValueOpCode, 0x10], .invalidParameter,
                or: .invalidAttributeValueLength)
        },
        Check(
            "running/control_point_unconfigured",
            "SC Control Point refuses requests with 0x81 while its responses are not indicated",
            "\(specification), sections 1.6 and 3.4", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.scControlPoint, of: service)
            try peripheral.subscribe([], to: value)
            try peripheral.expectRefused(
                SCControlPoint.setCumulativeValue(0).octets, to: value.valueHandle, "SC Control Point",
                "Client Characteristic Configuration Descriptor Improperly Configured (0x81)"
            ) { $0.rawValue == SCControlPoint.configurationImproper }
        },
    ]

    private static func follows(
        _ id: String, named value: String? = nil, _ field: String, to numbers: [Double], _ unit: String,
        in number: @escaping @Sendable (RSCMeasurement) -> Double?
    ) -> Check {
        let quantity = id.replacing("_", with: " ")
        return follows(
            "running/follows_the_\(id)", .rsc, "\(field) follows the \(quantity)", requirement.section("3.1"),
            named: value, of: .runningSpeedAndCadence, quantity, to: numbers, unit, within: .seconds(10),
            tolerance: 0.01
        ) { $0.rsc.flatMap(number) }
    }
}

extension SubscribableValue {
    static let rsc = Self(.rscMeasurement, of: .runningSpeedAndCadence)
}

extension Examiner.ReceivedValue {
    /// Nil if the octets are too short for the flags.
    fileprivate var rsc: RSCMeasurement? { try? RSCMeasurement(octets: octets[...]) }
}

extension Examiner {
    /// Skips the check unless the peripheral has a total distance, without which Set Cumulative Value is not mandatory.
    /// Running Speed and Cadence Service 1.0, sections 3.2 and 3.4.
    fileprivate mutating func requireTotalDistance() throws(CheckExit) {
        let octets = try read(.rscFeature, of: .runningSpeedAndCadence)
        guard (try? RSCFeature(octets: octets[...]))?.contains(.totalDistance) == true else {
            throw .notApplicable("bit 1 of RSC Feature, total distance, is 0")
        }
    }

    /// Fails unless the control point indicates this response to a request, or rejects it with `error`.
    fileprivate mutating func expectResponse(
        to request: [UInt8], _ result: SCControlPoint.Result, or error: ATTError? = nil
    ) throws(CheckExit) {
        let value = try characteristic(.scControlPoint, of: .runningSpeedAndCadence)
        try subscribe(.indication, to: value)
        if let error {
            let procedure = Procedure.write(handle: value.valueHandle, value: request)
            let refusal = try refusedSecurely(procedure, "a write of \(request.text) to SC Control Point")
            if refusal == error { return }
            if let refusal { try skipIfUnpaired(refusal, "SC Control Point") }
            try expect(
                refusal == nil, "an indication, or \(error), for \(request.text)", seen: refusal?.description ?? "")
        } else {
            try write(request, to: value.valueHandle, "SC Control Point")
        }
        let received = try next(of: value.valueHandle, within: .seconds(30))?.octets
        let expected = SCControlPoint.response(to: request.first ?? 0, result).octets
        try expect(
            received == expected, "an indication of \(expected.text) within 30 s of writing \(request.text)",
            seen: received?.text ?? "none")
    }

    /// In 1/10 m: a distance that no runner reaches during a check.
    private static let distance: UInt32 = 50_000_000

    /// In 1/10 m: more than a runner runs in some time, at 20 m/s, and in the seconds around it.
    private static func mostRun(within time: Duration) -> UInt32 {
        UInt32(clamping: 10_000 + time.inNanoseconds / 5_000_000)
    }

    fileprivate mutating func expectDistanceSet() throws(CheckExit) {
        let value = try subscribe(to: .rsc)
        let time = patience(.seconds(10), of: .runningSpeedAndCadence)
        let first = try next(of: value.valueHandle, within: time) { $0.rsc?.totalDistance != nil }
        guard let before = first?.rsc?.totalDistance else {
            throw .inconclusive("no measurement with a total distance within \(time.formatted) (move the sensor)")
        }
        try undoing { peripheral throws(CheckExit) in
            try peripheral.expectResponse(to: SCControlPoint.setCumulativeValue(before).octets, .success)
        } _: { peripheral throws(CheckExit) in
            try peripheral.expectResponse(to: SCControlPoint.setCumulativeValue(Self.distance).octets, .success)
            let begin = peripheral.now
            let next = try peripheral.next(of: value.valueHandle, within: time)
            let total = next?.rsc?.totalDistance
            let most = Self.distance + Self.mostRun(within: begin.duration(to: peripheral.now))
            try peripheral.expect(
                total.map { Self.distance...most ~= $0 } ?? false,
                "a total distance from 5000 km on in the next measurement, as written",
                seen: next?.octets.text ?? "no measurement")
        }
    }
}
