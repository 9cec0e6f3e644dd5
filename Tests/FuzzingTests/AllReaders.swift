import Fuzzing

extension Reader {
    static let all =
        packets + [values, server, client, host, controller, pairing, pairings, json] + files + [
            message, names, objects, calls, bus,
        ]
}
