// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The names are those of Nordic Semiconductor's CoreBluetoothMock, a module for tests on Apple's platforms.
@_exported public import CoreBluetooth
public import Dispatch

/// Creates central managers, for apps that use Nordic's mock.
public enum CBMCentralManagerFactory {
    /// A manager.
    ///
    /// - Parameters:
    ///   - delegate: Receives the events; the manager does not retain it.
    ///   - queue: Where events arrive; nil: the main queue.
    ///   - options: The keys that begin with `CBCentralManagerOption`.
    ///   - forceMock: Without effect: Lubdub has one kind of radio at a time.
    /// - Returns: The manager.
    public static func instance(
        delegate: (any CBCentralManagerDelegate)? = nil, queue: DispatchQueue? = nil, options: [String: Any]? = nil,
        forceMock: Bool = false
    ) -> CBCentralManager { CBCentralManager(delegate: delegate, queue: queue, options: options) }
}

/// `CBUUID`.
public typealias CBMUUID = CBUUID
/// `CBError`.
public typealias CBMError = CBError
/// `CBATTError`.
public typealias CBMATTError = CBATTError
/// `CBPeer`.
public typealias CBMPeer = CBPeer
/// `CBManager`.
public typealias CBMManager = CBManager
/// `CBManagerState`.
public typealias CBMManagerState = CBManagerState
/// `CBManagerAuthorization`.
public typealias CBMManagerAuthorization = CBManagerAuthorization
/// `CBCentralManager`.
public typealias CBMCentralManager = CBCentralManager
/// `CBCentralManagerDelegate`.
public typealias CBMCentralManagerDelegate = CBCentralManagerDelegate
/// `CBPeripheral`.
public typealias CBMPeripheral = CBPeripheral
/// `CBPeripheralDelegate`.
public typealias CBMPeripheralDelegate = CBPeripheralDelegate
/// `CBPeripheralState`.
public typealias CBMPeripheralState = CBPeripheralState
/// `CBAttribute`.
public typealias CBMAttribute = CBAttribute
/// `CBService`.
public typealias CBMService = CBService
/// `CBCharacteristic`.
public typealias CBMCharacteristic = CBCharacteristic
/// `CBCharacteristicProperties`.
public typealias CBMCharacteristicProperties = CBCharacteristicProperties
/// `CBCharacteristicWriteType`.
public typealias CBMCharacteristicWriteType = CBCharacteristicWriteType
/// `CBDescriptor`.
public typealias CBMDescriptor = CBDescriptor
/// `CBConnectionEvent`.
public typealias CBMConnectionEvent = CBConnectionEvent
/// `CBConnectionEventMatchingOption`.
public typealias CBMConnectionEventMatchingOption = CBConnectionEventMatchingOption

/// `CBCentralManagerOptionShowPowerAlertKey`.
public let CBMCentralManagerOptionShowPowerAlertKey = CBCentralManagerOptionShowPowerAlertKey
/// `CBCentralManagerOptionRestoreIdentifierKey`.
public let CBMCentralManagerOptionRestoreIdentifierKey = CBCentralManagerOptionRestoreIdentifierKey
/// `CBCentralManagerScanOptionAllowDuplicatesKey`.
public let CBMCentralManagerScanOptionAllowDuplicatesKey = CBCentralManagerScanOptionAllowDuplicatesKey
/// `CBCentralManagerScanOptionSolicitedServiceUUIDsKey`.
public let CBMCentralManagerScanOptionSolicitedServiceUUIDsKey = CBCentralManagerScanOptionSolicitedServiceUUIDsKey
/// `CBCentralManagerRestoredStatePeripheralsKey`.
public let CBMCentralManagerRestoredStatePeripheralsKey = CBCentralManagerRestoredStatePeripheralsKey
/// `CBCentralManagerRestoredStateScanServicesKey`.
public let CBMCentralManagerRestoredStateScanServicesKey = CBCentralManagerRestoredStateScanServicesKey
/// `CBCentralManagerRestoredStateScanOptionsKey`.
public let CBMCentralManagerRestoredStateScanOptionsKey = CBCentralManagerRestoredStateScanOptionsKey
/// `CBConnectPeripheralOptionNotifyOnConnectionKey`.
public let CBMConnectPeripheralOptionNotifyOnConnectionKey = CBConnectPeripheralOptionNotifyOnConnectionKey
/// `CBConnectPeripheralOptionNotifyOnDisconnectionKey`.
public let CBMConnectPeripheralOptionNotifyOnDisconnectionKey = CBConnectPeripheralOptionNotifyOnDisconnectionKey
/// `CBConnectPeripheralOptionNotifyOnNotificationKey`.
public let CBMConnectPeripheralOptionNotifyOnNotificationKey = CBConnectPeripheralOptionNotifyOnNotificationKey
/// `CBAdvertisementDataLocalNameKey`.
public let CBMAdvertisementDataLocalNameKey = CBAdvertisementDataLocalNameKey
/// `CBAdvertisementDataServiceUUIDsKey`.
public let CBMAdvertisementDataServiceUUIDsKey = CBAdvertisementDataServiceUUIDsKey
/// `CBAdvertisementDataIsConnectable`.
public let CBMAdvertisementDataIsConnectable = CBAdvertisementDataIsConnectable
/// `CBAdvertisementDataTxPowerLevelKey`.
public let CBMAdvertisementDataTxPowerLevelKey = CBAdvertisementDataTxPowerLevelKey
/// `CBAdvertisementDataServiceDataKey`.
public let CBMAdvertisementDataServiceDataKey = CBAdvertisementDataServiceDataKey
/// `CBAdvertisementDataManufacturerDataKey`.
public let CBMAdvertisementDataManufacturerDataKey = CBAdvertisementDataManufacturerDataKey
/// `CBAdvertisementDataOverflowServiceUUIDsKey`.
public let CBMAdvertisementDataOverflowServiceUUIDsKey = CBAdvertisementDataOverflowServiceUUIDsKey
/// `CBAdvertisementDataSolicitedServiceUUIDsKey`.
public let CBMAdvertisementDataSolicitedServiceUUIDsKey = CBAdvertisementDataSolicitedServiceUUIDsKey
