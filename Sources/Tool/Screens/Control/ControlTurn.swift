/// How much of a client's lines is answered before other clients, the radio and signals have their turn.
///
/// The work for a line grows with its octets and those of its answer, so that these limit how long others wait: until the
/// longest line is answered, at most.
struct ControlTurn {
    private static let lines = 16
    private static let octets = 4 << 10

    private var (lines, octets) = (0, 0)

    mutating func answered(_ line: [UInt8], with answer: [UInt8]) {
        lines += 1
        octets += line.count + answer.count
    }

    var isOver: Bool { lines >= Self.lines || octets >= Self.octets }
}
