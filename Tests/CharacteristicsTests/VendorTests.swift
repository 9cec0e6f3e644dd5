import Basics
import Bluetooth
import Characteristics
import Mutations
import Testing

@Suite struct VendorTests {
    static let header = ECGFrame.Header(
        flags: [.synthetic, .saturated], sequence: 0x0201, index: 0x0403_0201, lead: 7)
    static let frame: [UInt8] = [
        0x01, 0x0C, 0x01, 0x02, 0x01, 0x02, 0x03, 0x04, 0x03, 0x07, 0xFF, 0x7F, 0x00, 0x80, 0xFF, 0xFF,
    ]
    static let rates: [UInt8] = [0xFF, 0xFF, 0x01, 0x00, 0x00, 0x00, 0x02, 0x3E, 0x00, 0x2C, 0x01]

    @Test func `UUIDs have their documented form`() {
        #expect(VendorUUID.fitness.uuid.description == "6c750100-6264-4562-a000-4c7562647562")
        #expect(VendorUUID.feedValue.uuid.description == "6c750401-6264-4562-a000-4c7562647562")
        #expect(PMD.Identifier.service.uuid.description == "fb005c80-02e7-f387-1cad-8acd2d8df0c8")
        #expect(PMD.Identifier.data.uuid.description == "fb005c82-02e7-f387-1cad-8acd2d8df0c8")
        let described = VendorUUID.allCases.filter { $0.userDescription != nil }.map(\.rawValue)
        #expect(described == VendorUUID.allCases.map(\.rawValue).filter { $0 & 0xFF != 0 })
    }

    @Test func `A frame of samples is encoded and decoded`() throws {
        let samples: [Int16] = [.max, .min, -1]
        let frame = try #require(ECGFrame(Self.header, samples: samples))
        #expect(frame.octets == Self.frame)
        #expect(try ECGFrame(octets: Self.frame[...]) == frame)
        var pool = PacketPool()
        var packet = pool.take([0x1B])
        ECGFrame.append(Self.header, samples: samples[...], to: &packet, in: &pool)
        #expect(pool.octets(of: packet) == [0x1B] + Self.frame)
        #expect(try ECGFrame(octets: pool.slice(of: packet).dropFirst()) == frame)
        #expect(ECGFrame(Self.header, samples: Array(repeating: 0, count: 256)) == nil)
    }

    @Test func `A frame of heart rates is encoded and decoded`() throws {
        let frame = try #require(HeartRateFrame(sequence: 65535, index: 1, values: [62, 300]))
        #expect(frame.octets == Self.rates)
        #expect(try HeartRateFrame(octets: Self.rates[...]) == frame)
        var pool = PacketPool()
        var packet = pool.take([0x1B])
        HeartRateFrame.append(sequence: 65535, index: 1, values: [62, 300], to: &packet, in: &pool)
        #expect(pool.octets(of: packet) == [0x1B] + Self.rates)
        #expect(HeartRateFrame(sequence: 0, index: 0, values: Array(repeating: 0, count: 256)) == nil)
    }

    @Test(
        arguments: [
            ([], "octet 0: Version needs 1 octet(s), and 0 are left"),
            ([2], "octet 0: Version is 2, and must be 1"),
            ([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5], "octet 10: Sample needs 2 octet(s), and 1 are left"),
            ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], "octet 10: 1 octet(s) after the last field"),
        ] as [([UInt8], String)])
    func `Malformed frames are rejected with the reason`(octets: [UInt8], complaint: String) {
        let error = #expect(throws: Malformed.self) { try ECGFrame(octets: octets[...]) }
        #expect(error?.description == complaint)
    }

    @Test(
        arguments: [
            (23, 5, 6, 3), (185, 86, 87, 57), (232, 109, 111, 73), (247, 117, 118, 78), (517, 251, 252, 167),
            (65535, 251, 252, 167), (14, 0, 2, 0), (0, 0, 0, 0), (-1, 0, 0, 0),
        ])
    func `The number of samples depends on the MTU`(mtu: Int, ecg: Int, rates: Int, pmd: Int) throws {
        #expect(ECGFrame.capacity(mtu: mtu) == ecg)
        #expect(HeartRateFrame.capacity(mtu: mtu) == rates)
        #expect(PMDECGFrame.capacity(mtu: mtu) == pmd)
        guard ecg > 0 else { return }
        let octets = ECGFrame(Self.header, samples: Array(repeating: 0, count: ecg))?.octets.count
        #expect(try (min(mtu - 3, 512) - 1...min(mtu - 3, 512)).contains(#require(octets)))
    }

    @Test(arguments: [(0, 0), (-1, 0), (0.9, 0), (4211.7, 4211), (4_294_967_295.5, .max), (1e300, .max), (.nan, 0)])
    func `A count is clamped to its range`(value: Double, number: UInt32) {
        #expect(VendorCount(roundingDown: value).number == number)
    }

    @Test func `Counts and samples are written as JSON`() {
        #expect(VendorCount(4211).json == "4211")
        var tally = SampleTally()
        tally.add(index: 0xFFFF_FFF0, count: 16)
        #expect(tally.take().json == #"{"samples": 16, "lost": 0, "index": 4294967280}"#)
        tally.add(index: 10, count: 73)
        tally.add(index: 83, count: 73)
        #expect(tally.take().json == #"{"samples": 146, "lost": 10, "index": 10}"#)
        #expect(tally.take().json == #"{"samples": 0, "lost": 0}"#)
        tally.add(index: 156, count: 73, timeStamp: 825_379_200_000_000_000)
        tally.add(index: 229, count: 73, timeStamp: 825_379_200_561_538_461)
        #expect(tally.json == #"{"samples": 146, "lost": 0, "timestamp": 825379200561538461}"#)
    }

    @Test(
        arguments: [
            // indices of frames of 5 samples after one at 100,000, and the tally as JSON
            ([100_005], #""samples": 10, "lost": 0, "index": 100000"#),
            ([100_000, 100_005], #""samples": 10, "lost": 0, "index": 100000, "dropped": 5"#),  // twice
            ([100_010, 100_005, 100_015], #""samples": 15, "lost": 5, "index": 100000, "dropped": 5"#),  // too late
            ([100_003], #""samples": 10, "lost": 0, "index": 100000"#),  // some of it is new
            ([0, 5], #""samples": 15, "lost": 0, "index": 100000"#),  // begins again
            ([34_468, 34_473], #""samples": 15, "lost": 0, "index": 100000"#),
            ([34_469, 34_474], #""samples": 5, "lost": 0, "index": 100000, "dropped": 10"#),
            (
                [99_000, 99_005, 99_010, 99_015, 99_020, 99_025, 99_030, 99_035, 99_040],
                #""samples": 15, "lost": 0, "index": 100000, "dropped": 35"#
            ),
            (
                [99_000, 99_000, 99_000, 99_000, 99_000, 99_000, 99_000, 99_000],
                #""samples": 5, "lost": 0, "index": 100000, "dropped": 40"#
            ),
            ([Int(UInt32.max) - 4, 0], #""samples": 15, "lost": 0, "index": 100000"#),
        ] as [([Int], String)])
    func `Duplicate and late frames are dropped`(indices: [Int], said: String) {
        var tally = SampleTally()
        for index in [100_000] + indices { tally.add(index: UInt32(index), count: 5) }
        #expect(tally.json == "{\(said)}")
    }

    // MARK: Polar Measurement Data

    @Test func `A start request is encoded as Polar's SDK does`() throws {
        let octets: [UInt8] = [0x02, 0x00, 0x00, 0x01, 0x82, 0x00, 0x01, 0x01, 0x0E, 0x00]
        let settings = [PMD.Setting(.sampleRate, [130]), PMD.Setting(.resolution, [14])].compactMap(\.self)
        let request = PMD.Request(.start, settings: settings)
        #expect(request.octets == octets)
        #expect(try PMD.Request(octets: octets) == request)
        #expect(try PMD.Request(octets: [0x03, 0x00]) == PMD.Request(.stop))
        #expect(PMD.Response(to: request, .alreadyInState).octets == [0xF0, 0x02, 0x00, 0x06, 0x00])
        let answer = PMD.Response(to: PMD.Request(.settings), .success, settings: settings)
        #expect(
            answer.octets == [0xF0, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x82, 0x00, 0x01, 0x01, 0x0E, 0x00])
        #expect(try PMD.Response(octets: answer.octets) == answer)
        #expect(try PMD.Response(octets: [0xF0, 0x03, 0x00, 0x00]) == PMD.Response(to: PMD.Request(.stop), .success))
        #expect(PMD.Features(types: 0x05).octets == [0x0F, 0x05] + Array(repeating: 0, count: 15))
        #expect(PMD.Setting(.channels, [256]) == nil)
    }

    @Test func `A frame of a Polar strap is decoded`() throws {
        let octets: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0xFF, 0xFF, 0x7F, 0x00, 0x00, 0x80, 0xFE, 0xFF, 0xFF]
        let frame = PMDECGFrame(timeStamp: 0x0807_0605_0403_0201, samples: [.max, .min, -2])
        #expect(frame.octets == octets)
        #expect(try PMDECGFrame(octets: octets[...]) == frame)
        var pool = PacketPool()
        var packet = pool.take()
        PMDECGFrame.append(timeStamp: 0x0807_0605_0403_0201, samples: [.max, .min, -2], to: &packet, in: &pool)
        let small = PMDECGFrame(timeStamp: 0x0807_0605_0403_0201, samples: [32767, -32768, -2])
        #expect(pool.octets(of: packet) == small.octets)
    }

    @Test func `A header is decoded without the samples, and rejected with them`() throws {
        for octets in [Self.frame] + Self.frame.mutations + [Self.frame + [0]] {
            let frame = Result { try ECGFrame(octets: octets[...]) }
            let header = Result { try ECGFrame.header(of: octets[...]) }
            #expect((try? frame.get().header) == (try? header.get().header))
            #expect((try? frame.get().samples.count) == (try? header.get().count))
        }
        for octets in [Self.rates] + Self.rates.mutations + [Self.rates + [0]] {
            var values: [UInt16] = []
            let read = Result { try HeartRateFrame.read(octets[...]) { values.append($0) } }
            let frame = try? HeartRateFrame(octets: octets[...])
            #expect(frame?.values ?? [] == values)
            #expect(frame?.index == (try? read.get().index))
            #expect(frame?.values.count == (try? read.get().count))
        }
        let polar = PMDECGFrame(timeStamp: 7, samples: [1, -1]).octets
        for octets in [polar] + polar.mutations + [polar + [0]] {
            let (frame, header) = (try? PMDECGFrame(octets: octets[...]), try? PMDECGFrame.header(of: octets[...]))
            #expect(frame?.timeStamp == header?.timeStamp)
            #expect(frame?.samples.count == header?.count)
        }
    }

    /// Each codec with valid octets, and a check that mutated octets survive decoding and encoding.
    static let codecs: [(name: String, octets: [UInt8], again: @Sendable ([UInt8]) throws(Malformed) -> [UInt8])] = [
        ("ECG frame", frame, { octets throws(Malformed) in try ECGFrame(octets: octets[...]).octets }),
        ("heart rates", rates, { octets throws(Malformed) in try HeartRateFrame(octets: octets[...]).octets }),
        ("description", [0xF4, 0x01, 0xE8, 0x03, 1], { o throws(Malformed) in try ECGDescription(octets: o).octets }),
        ("count", [1, 2, 3, 4], { octets throws(Malformed) in try VendorCount(octets: octets, "Steps").octets }),
        ("temperature", [0x4C, 0x0E], { octets throws(Malformed) in try Temperature(octets: octets).octets }),
        ("date", [0xD0, 0x07, 2, 29, 12, 0, 0], { octets throws(Malformed) in try DateTime(octets: octets).octets }),
        ("type", [3], { octets throws(Malformed) in try TemperatureType(octets: octets).octets }),
        ("interval", [60, 0], { octets throws(Malformed) in try MeasurementInterval(octets: octets).octets }),
        ("range", [5, 0, 60, 0], { o throws(Malformed) in try MeasurementIntervalRange(octets: o).octets }),
        (
            "PMD frame", [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 9, 9],
            { o throws(Malformed) in try PMDECGFrame(octets: o[...]).octets }
        ),
        (
            "PMD request", [2, 0, 0, 1, 0x82, 0, 1, 1, 14, 0, 4, 1, 3],
            { octets throws(Malformed) in try PMD.Request(octets: octets).octets }
        ),
    ]

    @Test(arguments: codecs.indices)
    func `Valid octets survive decoding and encoding, and nothing traps`(index: Int) throws {
        let codec = Self.codecs[index]
        #expect(try codec.again(codec.octets) == codec.octets, "\(codec.name)")
        for mutation in codec.octets.mutations {
            guard let again = try? codec.again(mutation) else { continue }
            #expect(again == mutation, "\(codec.name)")
        }
    }

    @Test func `No prefix and no flipped bit of a response traps, or changes when encoded again`() throws {
        let octets: [UInt8] = [0xF0, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x82, 0x00, 0x04, 0x01, 0x03]
        for mutation in octets.mutations {
            guard let answer = try? PMD.Response(octets: mutation) else { continue }
            #expect(try PMD.Response(octets: answer.octets) == answer)
        }
        for mutation in PMD.Features(types: 0x05).octets.mutations {
            guard let features = try? PMD.Features(octets: mutation) else { continue }
            #expect(try PMD.Features(octets: features.octets) == features)
        }
    }
}
