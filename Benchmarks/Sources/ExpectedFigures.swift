import Basics
import CommandSupport
import Documents
import Linux
import Screens

/// The limits of `--check`, a file of the repository.
///
/// `{"notifications": {"ratio": {"min": 100}, "allocations_per_item": {"max": 0.01}}}`: the minimum or maximum of numbers
/// that `--json` prints for a row.  Numbers that were not measured are skipped.
struct ExpectedFigures {
    static let path = "Benchmarks/expected.json"

    private let rows: [Node.Member]

    init() throws(Obstacle) {
        guard let octets = contents(of: Self.path) else {
            throw Obstacle(
                .usage, "cannot read \(Self.path.quoted): run --check in the root of Lubdub's repository")
        }
        let node = try orFail(.usage) { try Node(json: octets, file: Self.path) }
        guard case .object(let rows) = node.value else {
            throw Obstacle(.usage, "\(Self.path) is not an object with a member for each row")
        }
        self.rows = rows
    }

    /// The numbers of a row that exceed their limits.
    func faults(of result: BenchResult) -> [String] {
        guard case .object(let bounds)? = rows.first(where: { $0.key == result.word })?.node.value else { return [] }
        return bounds.flatMap { bound -> [String] in
            guard let measured = result.numbers.first(where: { $0.key == bound.key })?.value,
                case .object(let limits) = bound.node.value
            else { return [] }
            return limits.compactMap { limit in
                guard case .number(let text) = limit.node.value, let number = Double(text) else { return nil }
                let isWorse = limit.key == "min" ? measured < number : measured > number
                return isWorse
                    ? "\(bound.key) is \(decimal(measured, 3)); the \(limit.key == "min" ? "minimum" : "maximum") is \(text)"
                    : nil
            }
        }
    }
}
