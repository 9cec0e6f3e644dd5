@testable import HTTP

extension Reader {
    /// The octets of a browser.
    static let requests = Reader("http", "HTTP requests: the same in any pieces, no NUL") { octets throws(Broken) in
        let whole = steps(octets, pieces: max(1, octets.count))
        for pieces in [1, 3] {
            try require(steps(octets, pieces: pieces) == whole, "\(pieces) octets at a time differ")
        }
        for case .request(let request, _) in whole {
            let texts = [request.method, request.path, request.query] + request.fields.flatMap { [$0.name, $0.value] }
            try require(!texts.contains { $0.utf8.contains(0) }, "a NUL is in \(texts)")
            try require(request.body.count <= limits.body, "a body has \(request.body.count) octets")
            try require(request.values(of: "host").count <= 1, "there are several hosts")
            _ = (request.parameter("find"), request.parameter("page"))
        }
    }

    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        (limits.head, limits.body) = (200, 40)
        return limits
    }()

    private static func steps(_ octets: [UInt8], pieces: Int) -> [RequestReader.Step] {
        var (reader, steps, rest) = (RequestReader(limits), [RequestReader.Step](), octets[...])
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while true {
                let step = reader.next()
                if case .incomplete = step { break }
                steps.append(step)
                if case .refused = step { return steps }
            }
        }
        return steps
    }
}
