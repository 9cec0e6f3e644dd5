import Basics
import Bluetooth
import HCI

// Advertising, scanning and the filter accept list.  Core 6.0, Vol 4, Part E, sections 7.8.4 to 7.8.17.
extension Controller {
    /// Intervals of legacy advertising, in 0.625 ms: 20 ms to 10.24 s.
    private static let advertisingIntervals: ClosedRange<UInt16> = 0x0020...0x4000
    /// Intervals and windows of scanning, in 0.625 ms: 2.5 ms to 10.24 s.
    private static let scanIntervals: ClosedRange<UInt16> = 0x0004...0x4000
    /// The capacity of the duplicate filter; a full filter is emptied.
    private static let maximumReported = 1024

    mutating func setRandomAddress(_ address: DeviceAddress, _ opcode: Opcode, _ context: inout Context) {
        guard !advertising.isOn, !isScanning, creation == nil else {
            return complete(opcode, .commandDisallowed, &context)
        }
        randomAddress = DeviceAddress(address.number, .random)
        complete(opcode, .success, &context)
    }

    mutating func setAdvertisingParameters(
        _ parameters: AdvertisingParameters, _ opcode: Opcode, _ context: inout Context
    ) {
        guard !advertising.isOn else { return complete(opcode, .commandDisallowed, &context) }
        let range = Self.advertisingIntervals
        let isInRange =
            parameters.kind == .directedHighDuty
            || range.contains(parameters.minimumInterval) && range.contains(parameters.maximumInterval)
                && parameters.minimumInterval <= parameters.maximumInterval
        guard isInRange, (1...7).contains(parameters.channelMap), parameters.filterPolicy <= 3 else {
            return complete(opcode, .invalidParameters, &context)
        }
        advertising.parameters = parameters
        complete(opcode, .success, &context)
    }

    mutating func setAdvertising(_ enable: Bool, _ opcode: Opcode, _ context: inout Context) {
        guard enable else {
            advertising.isOn = false
            context.radio.stopAdvertising(station)
            return complete(opcode, .success, &context)
        }
        if !advertising.isOn { publicAddress = assignedAddress }
        guard let address = ownAdvertisingAddress(&context) else {
            return complete(opcode, .invalidParameters, &context)
        }
        let reserved = creation == nil ? 0 : 1
        guard !advertising.parameters.isConnectable || links.count + reserved < Capabilities.connections else {
            return complete(opcode, .connectionLimitExceeded, &context)
        }
        var advertisement = Radio.Advertisement(
            kind: kindOnAir, address: address, data: advertising.data, scanResponse: advertising.scanResponse)
        advertisement.resolving = resolving
        if case .directed(let peer) = kindOnAir {
            advertisement.privateTarget = resolving.target(peer, using: &chance)
        }
        if advertising.parameters.filterPolicy & 0b01 != 0 { advertisement.scanners = acceptList }
        if advertising.parameters.filterPolicy & 0b10 != 0 { advertisement.connectors = acceptList }
        let isHighDuty = advertising.parameters.kind == .directedHighDuty
        advertising.isOn = true
        complete(opcode, .success, &context)
        context.radio.advertise(
            advertisement, isHighDuty ? .highDutyCycle : .every(advertising.parameters.maximumInterval), from: station,
            at: context.now, into: &context.outbox)
    }

    /// No peer has connected for 1.28 s.  Section 7.8.9.
    mutating func advertisingTimedOut(_ context: inout Context) {
        advertising.isOn = false
        let timing = ConnectionTiming(interval: 0, latency: 0, supervisionTimeout: 0)
        let nothing = ConnectionComplete(
            handle: 0, role: .peripheral, peer: advertising.parameters.peer, timing: timing)
        send(.advertisingTimeout, EnhancedConnectionComplete(nothing), &context)
    }

    private var kindOnAir: Radio.Advertisement.Kind {
        switch advertising.parameters.kind {
        case .undirected: .undirected
        case .directedHighDuty, .directedLowDuty: .directed(advertising.parameters.peer)
        case .scannable: .scannable
        case .nonConnectable: .nonConnectable
        }
    }

    mutating func setScanParameters(_ parameters: ScanParameters, _ opcode: Opcode, _ context: inout Context) {
        guard !isScanning else { return complete(opcode, .commandDisallowed, &context) }
        guard Self.isScan(interval: parameters.interval, window: parameters.window) else {
            return complete(opcode, .invalidParameters, &context)
        }
        scanParameters = parameters
        complete(opcode, .success, &context)
    }

    static func isScan(interval: UInt16, window: UInt16) -> Bool {
        scanIntervals.contains(interval) && scanIntervals.contains(window) && window <= interval
    }

    mutating func setScanning(
        _ enable: Bool, filterDuplicates: Bool, _ opcode: Opcode, _ context: inout Context
    ) {
        guard enable else {
            isScanning = false
            context.radio.scan(nil, from: station, at: context.now, into: &context.outbox)
            return complete(opcode, .success, &context)
        }
        guard let own = ownAddresses(scanParameters.ownAddress, &context) else {
            return complete(opcode, .invalidParameters, &context)
        }
        reported = filterDuplicates ? [] : nil
        isScanning = true
        complete(opcode, .success, &context)
        let listener = Listener(interval: scanParameters.interval, window: scanParameters.window, from: context.now)
        let scan = Radio.Scan(listener: listener, isActive: scanParameters.isActive, own: own)
        context.radio.scan(scan, from: station, at: context.now, into: &context.outbox)
    }

    /// Reports a packet of a station to the host.
    mutating func report(from station: Int, isResponse: Bool, rssi: Int8, _ context: inout Context) {
        guard !isHostCongested, let address = context.radio.advertisingAddress(of: station),
            let sender = resolving.sender(at: address)
        else { return }
        resolving.note(address, of: sender)
        if scanParameters.filterPolicy & 1 != 0, !acceptList.contains(sender) { return }
        let key = ReportKey(address: sender, isResponse: isResponse)
        if let known = reported {
            guard !known.contains(key) else { return }
            if known.count >= Self.maximumReported { reported?.removeAll() }
        }
        reported?.insert(key)
        guard let packet = context.radio.advertisingPacket(of: station, isResponse: isResponse) else { return }
        let kind: AdvertisingReport.Kind =
            switch packet.kind {
            case _ where isResponse: .scanResponse
            case .undirected: .undirected
            case .directed: .directed
            case .scannable: .scannable
            case .nonConnectable: .nonConnectable
            }
        let report = AdvertisingReport(
            kind: kind, address: sender, isResolved: sender != address, data: packet.data, rssi: rssi)
        send(.leAdvertisingReport([report]), if: .advertisingReport, &context)
    }

    mutating func changeAcceptList(_ command: Command) throws(Malformed) -> HCIStatus {
        let isInUse =
            creation?.usesAcceptList == true || isScanning && scanParameters.filterPolicy & 1 != 0
            || advertising.isOn && advertising.parameters.filterPolicy != 0
        guard !isInUse else { return .commandDisallowed }
        switch command {
        case Command.leClearFilterAcceptList: acceptList.removeAll()
        case Command.leAddDeviceToFilterAcceptList:
            let address = try Command.leAddDeviceToFilterAcceptList.parameters(of: command)
            guard !acceptList.contains(address) else { return .success }
            guard acceptList.count < Capabilities.acceptListSize else { return .memoryCapacityExceeded }
            acceptList.append(address)
        case Command.leRemoveDeviceFromFilterAcceptList:
            let address = try Command.leRemoveDeviceFromFilterAcceptList.parameters(of: command)
            acceptList.removeAll { $0 == address }
        default: return .unknownCommand
        }
        return .success
    }
}

extension AdvertisingParameters {
    /// Whether a central can connect.
    var isConnectable: Bool {
        switch kind {
        case .undirected, .directedHighDuty, .directedLowDuty: true
        case .scannable, .nonConnectable: false
        }
    }
}
