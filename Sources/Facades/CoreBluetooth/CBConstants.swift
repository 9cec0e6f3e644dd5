// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Apple's.

/// Seconds since 2001, which Apple's Core Foundation declares.
public typealias CFAbsoluteTime = Double

/// Whether to warn the user if Bluetooth is off: a Boolean.  Nobody is warned here.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The identifier under which the system keeps the manager's state: a `String`.  Nothing is restored here, since a Linux
/// process is not relaunched.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"

/// The kinds of accessories that the app uses.  All are reported here.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"

/// Whether each advertisement is reported, not only the first of a peripheral: a Boolean.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Peripherals that solicit one of these services are reported, too: `[CBUUID]`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// The restored peripherals: `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// The services of the restored scan: `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The options of the restored scan.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

/// Whether the user is notified of the connection while the app is suspended: a Boolean, without effect here.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Whether the user is notified of the disconnection while the app is suspended: a Boolean, without effect here.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Whether the user is notified of values while the app is suspended: a Boolean, without effect here.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// Whether the system connects again after the link was lost: a Boolean.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"

/// How many seconds to wait before connecting: a number, without effect here.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether the system also connects with BR/EDR: a Boolean, without effect here.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Whether the peripheral needs the Apple Notification Center Service: a Boolean, without effect here.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"

/// Whether to warn the user if Bluetooth is off: a Boolean.  Nobody is warned here.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The identifier under which the system keeps the peripheral manager's state: a `String`.  Nothing is restored here.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The restored services: `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// The restored advertising data.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"

/// The name that the peripheral advertises: a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The company identifier and its data: `Data`.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// The data of services: `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The advertised services: `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// The services that an iOS device advertises in its own format.  Never present here.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// The transmit power in dBm: an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// Whether the peripheral is connectable: an `NSNumber`.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The solicited services: `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

/// The domain of `CBError`.
public let CBErrorDomain = "CBErrorDomain"
/// The domain of `CBATTError`.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// The descriptor Characteristic Extended Properties.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// The descriptor Characteristic User Description.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// The descriptor Client Characteristic Configuration.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// The descriptor Server Characteristic Configuration.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The descriptor Characteristic Presentation Format.
public let CBUUIDCharacteristicFormatString = "2904"
/// The descriptor Characteristic Aggregate Format.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
