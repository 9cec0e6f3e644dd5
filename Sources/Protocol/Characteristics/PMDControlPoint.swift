import Basics

/// The server's side of the Polar Measurement Data control point: an electrocardiogram with one sample rate and one
/// resolution.
public struct PMDControlPoint: Hashable, Sendable {
    /// In Hz.
    public let sampleRate: UInt16
    /// In bits.
    public let resolution: UInt16
    /// Whether the client has started the measurement.
    public private(set) var isStreaming = false

    /// A stopped measurement; Polar straps have 130 Hz and 14 bits.
    public init(sampleRate: UInt16 = 130, resolution: UInt16 = 14) {
        (self.sampleRate, self.resolution) = (sampleRate, resolution)
    }

    /// The value for reads.
    public var features: PMD.Features { PMD.Features(types: 1 << PMD.ecg) }

    /// Carries out a written request.
    ///
    /// - Parameters:
    ///   - written: the written octets, well-formed or not.
    ///   - mtu: the connection's ATT MTU.
    /// - Returns: the response to indicate.
    public mutating func answer(_ written: [UInt8], mtu: Int) -> PMD.Response {
        do {
            let request = try PMD.Request(octets: written)
            let status = perform(request, mtu: mtu)
            let hasSettings = status == .success && request.operation == PMD.Operation.settings.rawValue
            return PMD.Response(to: request, status, settings: hasSettings ? settings : [])
        } catch {
            var request = PMD.Request(.settings)
            (request.operation, request.type) = (written.first ?? 0, written.dropFirst().first ?? 0)
            switch error {
            case .tooShort, .tooLong: return PMD.Response(to: request, .invalidLength)
            case .prohibited: return PMD.Response(to: request, .invalidParameter)
            }
        }
    }

    /// Stops the measurement when the connection ends.
    public mutating func disconnect() { isStreaming = false }

    private var settings: [PMD.Setting] {
        [PMD.Setting(.sampleRate, [sampleRate]), PMD.Setting(.resolution, [resolution])].compactMap(\.self)
    }

    private mutating func perform(_ request: PMD.Request, mtu: Int) -> PMD.Status {
        guard let operation = PMD.Operation(rawValue: request.operation) else { return .invalidOperation }
        guard request.type == PMD.ecg else { return .notSupported }
        switch operation {
        case .settings: return .success
        case .start:
            if isStreaming { return .alreadyInState }
            if let fault = request.settings.lazy.compactMap(fault).first { return fault }
            guard PMDECGFrame.capacity(mtu: mtu) > 0 else { return .invalidMTU }
            isStreaming = true
        case .stop:
            guard isStreaming else { return .alreadyInState }
            isStreaming = false
        }
        return .success
    }

    private func fault(_ setting: PMD.Setting) -> PMD.Status? {
        switch setting.kind {
        case .sampleRate: setting.values == [sampleRate] ? nil : .invalidSampleRate
        case .resolution: setting.values == [resolution] ? nil : .invalidResolution
        case .range, .channels: .invalidParameter
        }
    }
}
