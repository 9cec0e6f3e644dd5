import Basics
import Bluetooth
import Characteristics

@testable import Devices
@testable import Services

/// What a Heart Rate Service of a test measures.
struct HeartRate {
    enum Energy {
        case none
        case computed
        case scripted(Curve)
    }

    var rate: Curve
    var format = HeartRateMeasurement.Format.automatic
    var highest = UInt16.max
    var contact: Curve?
    var energy = Energy.none
    var hasRRIntervals = false
    var mostRRIntervals: Int?
    var location: BodySensorLocation?
    var period = Duration.seconds(1)

    init(rate: Curve) { self.rate = rate }

    fileprivate var configuration: ServiceConfiguration {
        let energy: DerivedCurve? =
            switch energy {
            case .none: nil
            case .computed: .derived
            case .scripted(let curve): .curve(curve)
            }
        return ServiceConfiguration(
            HeartRateFields.rate(rate), HeartRateFields.period(period),
            HeartRateFields.format(highest == 255 ? "uint8" : format == .uint16 ? "uint16" : "auto"),
            HeartRateFields.contact(contact), HeartRateFields.energy(energy),
            HeartRateFields.rrIntervals(hasRRIntervals), HeartRateFields.rrPerNotification(mostRRIntervals),
            HeartRateFields.location(location?.name))
    }
}

/// What a Health Thermometer Service of a test measures.
struct HealthThermometer {
    var celsius: Curve
    /// Nil: it has no Measurement Interval.
    var period: Duration?
    var unit = TemperatureMeasurement.Unit.celsius
    var type: TemperatureType?
    var isStoring = false

    init(_ celsius: Curve) { self.celsius = celsius }

    fileprivate var configuration: ServiceConfiguration {
        ServiceConfiguration(
            HealthThermometerFields.temperature(celsius), period.flatMap { HealthThermometerFields.period($0) },
            HealthThermometerFields.unit(unit.rawValue), HealthThermometerFields.site(type?.name),
            HealthThermometerFields.isStoring(isStoring))
    }
}

extension ConfiguredService {
    static func heartRate(_ heartRate: HeartRate) -> ConfiguredService { .init(.heartRate, heartRate.configuration) }

    static func battery(_ level: Curve) -> ConfiguredService {
        .init(.battery, ServiceConfiguration(BatteryFields.level(level)))
    }

    static func feed(_ value: Curve, _ period: Duration = .seconds(1)) -> ConfiguredService {
        .init(.feed, ServiceConfiguration(FeedFields.value(value), FeedFields.period(period)))
    }

    static func deviceInformation(_ strings: [(DeviceInformation, String)]) -> ConfiguredService {
        var configuration = ServiceConfiguration()
        for (kind, text) in strings { configuration.set(kind.rawValue, to: .word(text)) }
        return .init(.deviceInformation, configuration)
    }

    static func healthThermometer(_ thermometer: HealthThermometer) -> ConfiguredService {
        .init(.healthThermometer, thermometer.configuration)
    }

    static func fitness(
        _ steps: Curve?, temperature: Curve?, dailyReset: Duration = .zero
    ) -> ConfiguredService {
        .init(
            .fitness,
            ServiceConfiguration(
                FitnessFields.steps(steps), FitnessFields.temperature(temperature),
                FitnessFields.dailyReset(dailyReset)))
    }

    static func ecg(rate: Int = 500, noise: ECG.Noise = .resting) -> ConfiguredService {
        .init(
            .ecg,
            ServiceConfiguration(
                ECGFields.rate(rate), ECGFields.wander(noise.wander / 1000), ECGFields.muscle(noise.muscle / 1000),
                ECGFields.mains(noise.mains?.hertz)))
    }

    static func pmd(rate: Int) -> ConfiguredService {
        .init(.polarMeasurementData, ServiceConfiguration(ECGFields.rate(rate)))
    }

    static func measurements(_ value: Curve, rate: Int) -> ConfiguredService {
        .init(.measurements, ServiceConfiguration(MeasurementsFields.value(value), MeasurementsFields.rate(rate)))
    }
}

extension ValueID {
    static let heartRate = id(.heartRate)
    static let contact = id(.heartRate, "contact")
    static let energy = id(.heartRate, "energy_kj")
    static let rrIntervals = id(.heartRate, "rr_ms")
    static let location = id(.heartRate, "location")
    static let controlPoint = id(.heartRate, "control_point")
    static let battery = id(.battery)
    static let feed = id(.feed)
    static let manufacturer = id(.deviceInformation, "manufacturer")
    static let model = id(.deviceInformation, "model")
    static let serial = id(.deviceInformation, "serial")
    static let bodyTemperature = id(.healthThermometer)
    static let temperatureType = id(.healthThermometer, "type")
    static let measurementInterval = id(.healthThermometer, "interval")
    static let steps = id(.fitness, "steps")
    static let stepsToday = id(.fitness, "steps_today")
    static let temperature = id(.fitness, "temperature")
    static let ecgSamples = id(.ecg, "samples")
    static let lead = id(.ecg, "lead")
    static let pmdSamples = id(.polarMeasurementData, "samples")
    static let pmdControlPoint = id(.polarMeasurementData, "control_point")
    static let heartRates = id(.measurements)
    static let custom0 = ValueID(index: 0, carrier: 0)
    static let custom1 = ValueID(index: 1, carrier: 1)
    /// Of no service.
    static let none = ValueID(index: 99, carrier: 99)

    private static func id(_ service: ServiceDescription, _ name: String = "") -> ValueID {
        service.value(named: name)?.id ?? none
    }
}
