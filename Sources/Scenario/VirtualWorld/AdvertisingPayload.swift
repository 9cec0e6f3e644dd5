import Bluetooth
import Scenarios

extension Scenarios.Device {
    /// The two payloads of legacy advertising.  Data without room in the first goes into the second, unless the scenario
    /// defines the scan response; so does the name.
    var advertisement: (data: [UInt8], scanResponse: [UInt8]) {
        var (data, response) = (AdvertisingData(), AdvertisingData())
        try? data.append(flags: [.generalDiscoverable, .lowEnergyOnly])
        let missing = data.append(advertising.payload)
        if let payload = advertising.scanResponse { _ = response.append(payload) } else { _ = response.append(missing) }
        try? response.append(localName: name)
        return (data.octets, response.octets)
    }
}

extension AdvertisingData {
    /// Appends as much as there is room for, and returns the rest.
    mutating func append(_ payload: Advertising.Payload) -> Advertising.Payload {
        var rest = payload
        (rest.services, rest.serviceData, rest.manufacturerData) = ([], [], [])
        (rest.appearance, rest.txPower) = (nil, nil)
        do { try append(services: payload.services) } catch { rest.services = payload.services }
        if let appearance = payload.appearance {
            do { try append(appearance: Appearance(appearance)) } catch { rest.appearance = appearance }
        }
        if let power = payload.txPower { do { try append(txPowerLevel: power) } catch { rest.txPower = power } }
        for data in payload.serviceData {
            do { try append(serviceData: data.octets, of: data.uuid) } catch { rest.serviceData.append(data) }
        }
        for data in payload.manufacturerData {
            do {
                try append(manufacturerSpecificData: data.octets, company: data.company)
            } catch { rest.manufacturerData.append(data) }
        }
        return rest
    }
}
