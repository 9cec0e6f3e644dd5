/// UUIDs that the Bluetooth SIG assigned.  Assigned Numbers, sections 3.4 to 3.8.
extension UUID {
    /// The last part of the SIG's identifier, `heart_rate_measurement`; nil for a UUID that is not in `assignedNames`.
    public var assignedName: String? {
        Self.assigned.first { $0.uuid == self }?.name
    }

    /// The UUID with one of `assignedNames`; nil for other text.
    public init?(assignedName: String) {
        guard let entry = Self.assigned.first(where: { $0.name == assignedName }) else { return nil }
        self = entry.uuid
    }

    /// All names, in the order of their numbers.
    public static var assignedNames: [String] { assigned.map(\.name) }

    private static let assigned: [(uuid: UUID, name: String)] = [
        (.genericAccess, "generic_access"),
        (.genericAttribute, "generic_attribute"),
        (.healthThermometer, "health_thermometer"),
        (.deviceInformation, "device_information"),
        (.heartRate, "heart_rate"),
        (.battery, "battery"),
        (.runningSpeedAndCadence, "running_speed_and_cadence"),
        (.environmentalSensing, "environmental_sensing"),
        (.pulseOximeter, "pulse_oximeter"),
        (.primaryService, "primary_service"),
        (.secondaryService, "secondary_service"),
        (.include, "include"),
        (.characteristic, "characteristic"),
        (.characteristicExtendedProperties, "characteristic_extended_properties"),
        (.characteristicUserDescription, "characteristic_user_description"),
        (.clientCharacteristicConfiguration, "client_characteristic_configuration"),
        (.serverCharacteristicConfiguration, "server_characteristic_configuration"),
        (.characteristicPresentationFormat, "characteristic_presentation_format"),
        (.validRange, "valid_range"),
        (.deviceName, "device_name"),
        (.appearance, "appearance"),
        (.peripheralPreferredConnectionParameters, "peripheral_preferred_connection_parameters"),
        (.serviceChanged, "service_changed"),
        (.batteryLevel, "battery_level"),
        (.temperatureMeasurement, "temperature_measurement"),
        (.temperatureType, "temperature_type"),
        (.intermediateTemperature, "intermediate_temperature"),
        (.measurementInterval, "measurement_interval"),
        (.systemID, "system_id"),
        (.modelNumberString, "model_number_string"),
        (.serialNumberString, "serial_number_string"),
        (.firmwareRevisionString, "firmware_revision_string"),
        (.hardwareRevisionString, "hardware_revision_string"),
        (.softwareRevisionString, "software_revision_string"),
        (.manufacturerNameString, "manufacturer_name_string"),
        (.heartRateMeasurement, "heart_rate_measurement"),
        (.bodySensorLocation, "body_sensor_location"),
        (.heartRateControlPoint, "heart_rate_control_point"),
        (.pnpID, "pnp_id"),
        (.rscMeasurement, "rsc_measurement"),
        (.rscFeature, "rsc_feature"),
        (.scControlPoint, "sc_control_point"),
        (.sensorLocation, "sensor_location"),
        (.plxSpotCheckMeasurement, "plx_spot_check_measurement"),
        (.plxContinuousMeasurement, "plx_continuous_measurement"),
        (.plxFeatures, "plx_features"),
        (.temperature, "temperature"),
        (.centralAddressResolution, "central_address_resolution"),
        (.clientSupportedFeatures, "client_supported_features"),
        (.databaseHash, "database_hash"),
        (.serverSupportedFeatures, "server_supported_features"),
    ]

    // MARK: Services

    /// The service Generic Access: 0x1800.
    public static var genericAccess: UUID { UUID(0x1800) }

    /// The service Generic Attribute: 0x1801.
    public static var genericAttribute: UUID { UUID(0x1801) }

    /// The service Device Information: 0x180A.
    public static var deviceInformation: UUID { UUID(0x180A) }

    /// The service Heart Rate: 0x180D.
    public static var heartRate: UUID { UUID(0x180D) }

    /// The service Health Thermometer: 0x1809.
    public static var healthThermometer: UUID { UUID(0x1809) }

    /// The service Battery: 0x180F.
    public static var battery: UUID { UUID(0x180F) }

    /// The service Running Speed and Cadence: 0x1814.
    public static var runningSpeedAndCadence: UUID { UUID(0x1814) }

    /// The service Environmental Sensing: 0x181A.
    public static var environmentalSensing: UUID { UUID(0x181A) }

    /// The service Pulse Oximeter: 0x1822.
    public static var pulseOximeter: UUID { UUID(0x1822) }

    // MARK: Declarations

    /// Declares: Primary Service: 0x2800.
    public static var primaryService: UUID { UUID(0x2800) }

    /// Declares: Secondary Service: 0x2801.
    public static var secondaryService: UUID { UUID(0x2801) }

    /// Declares: Include: 0x2802.
    public static var include: UUID { UUID(0x2802) }

    /// Declares: Characteristic: 0x2803.
    public static var characteristic: UUID { UUID(0x2803) }

    // MARK: Descriptors

    /// The descriptor Characteristic Extended Properties: 0x2900.
    public static var characteristicExtendedProperties: UUID { UUID(0x2900) }

    /// The descriptor Characteristic User Description: 0x2901.
    public static var characteristicUserDescription: UUID { UUID(0x2901) }

    /// The descriptor Client Characteristic Configuration: 0x2902.
    public static var clientCharacteristicConfiguration: UUID { UUID(0x2902) }

    /// The descriptor Server Characteristic Configuration: 0x2903.
    public static var serverCharacteristicConfiguration: UUID { UUID(0x2903) }

    /// The descriptor Characteristic Presentation Format: 0x2904.
    public static var characteristicPresentationFormat: UUID { UUID(0x2904) }

    /// The descriptor Valid Range: 0x2906.
    public static var validRange: UUID { UUID(0x2906) }

    // MARK: Characteristics

    /// The characteristic Device Name: 0x2A00.
    public static var deviceName: UUID { UUID(0x2A00) }

    /// The characteristic Appearance: 0x2A01.
    public static var appearance: UUID { UUID(0x2A01) }

    /// The characteristic Peripheral Preferred Connection Parameters: 0x2A04.
    public static var peripheralPreferredConnectionParameters: UUID { UUID(0x2A04) }

    /// The characteristic Service Changed: 0x2A05.
    public static var serviceChanged: UUID { UUID(0x2A05) }

    /// The characteristic Battery Level: 0x2A19.
    public static var batteryLevel: UUID { UUID(0x2A19) }

    /// The characteristic Temperature Measurement: 0x2A1C.
    public static var temperatureMeasurement: UUID { UUID(0x2A1C) }

    /// The characteristic Temperature Type: 0x2A1D.
    public static var temperatureType: UUID { UUID(0x2A1D) }

    /// The characteristic Intermediate Temperature: 0x2A1E.
    public static var intermediateTemperature: UUID { UUID(0x2A1E) }

    /// The characteristic Measurement Interval: 0x2A21.
    public static var measurementInterval: UUID { UUID(0x2A21) }

    /// The characteristic System ID: 0x2A23.
    public static var systemID: UUID { UUID(0x2A23) }

    /// The characteristic Model Number String: 0x2A24.
    public static var modelNumberString: UUID { UUID(0x2A24) }

    /// The characteristic Serial Number String: 0x2A25.
    public static var serialNumberString: UUID { UUID(0x2A25) }

    /// The characteristic Firmware Revision String: 0x2A26.
    public static var firmwareRevisionString: UUID { UUID(0x2A26) }

    /// The characteristic Hardware Revision String: 0x2A27.
    public static var hardwareRevisionString: UUID { UUID(0x2A27) }

    /// The characteristic Software Revision String: 0x2A28.
    public static var softwareRevisionString: UUID { UUID(0x2A28) }

    /// The characteristic Manufacturer Name String: 0x2A29.
    public static var manufacturerNameString: UUID { UUID(0x2A29) }

    /// The characteristic Heart Rate Measurement: 0x2A37.
    public static var heartRateMeasurement: UUID { UUID(0x2A37) }

    /// The characteristic Body Sensor Location: 0x2A38.
    public static var bodySensorLocation: UUID { UUID(0x2A38) }

    /// The characteristic Heart Rate Control Point: 0x2A39.
    public static var heartRateControlPoint: UUID { UUID(0x2A39) }

    /// The characteristic PnP ID: 0x2A50.
    public static var pnpID: UUID { UUID(0x2A50) }

    /// The characteristic RSC Measurement: 0x2A53.
    public static var rscMeasurement: UUID { UUID(0x2A53) }

    /// The characteristic RSC Feature: 0x2A54.
    public static var rscFeature: UUID { UUID(0x2A54) }

    /// The characteristic SC Control Point: 0x2A55.
    public static var scControlPoint: UUID { UUID(0x2A55) }

    /// The characteristic Sensor Location: 0x2A5D.
    public static var sensorLocation: UUID { UUID(0x2A5D) }

    /// The characteristic PLX Spot-Check Measurement: 0x2A5E.
    public static var plxSpotCheckMeasurement: UUID { UUID(0x2A5E) }

    /// The characteristic PLX Continuous Measurement: 0x2A5F.
    public static var plxContinuousMeasurement: UUID { UUID(0x2A5F) }

    /// The characteristic PLX Features: 0x2A60.
    public static var plxFeatures: UUID { UUID(0x2A60) }

    /// The characteristic Temperature: 0x2A6E.
    public static var temperature: UUID { UUID(0x2A6E) }

    /// The characteristic Central Address Resolution: 0x2AA6.
    public static var centralAddressResolution: UUID { UUID(0x2AA6) }

    /// The characteristic Client Supported Features: 0x2B29.
    public static var clientSupportedFeatures: UUID { UUID(0x2B29) }

    /// The characteristic Database Hash: 0x2B2A.
    public static var databaseHash: UUID { UUID(0x2B2A) }

    /// The characteristic Server Supported Features: 0x2B3A.
    public static var serverSupportedFeatures: UUID { UUID(0x2B3A) }
}
