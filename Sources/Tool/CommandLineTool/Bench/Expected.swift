import Arguments
import CommandSupport
import Documents
import Spelling
import Terminal

/// What rows are measured against by `--check`: a file of the repository.
///
/// `{"notifications": {"ratio": {"min": 100}, "allocations_per_item": {"max": 0.01}}}`: of a row, some of the numbers that
/// `--json` prints for it, each with the least or the most that it may be.  A number that was not measured is passed over.
struct Expected {
    static let path = "Benchmarks/expected.json"

    private let rows: [Node.Member]

    init() throws(CommandFailure) {
        guard let octets = contents(of: Self.path) else {
            throw CommandFailure(
                .usage, "cannot read \(Self.path.quoted): run --check in the folder of Lubdub's sources")
        }
        let node: Node
        do throws(Problem) { node = try Node(json: octets, file: Self.path) } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        guard case .object(let rows) = node.value else {
            throw CommandFailure(.usage, "\(Self.path) is not an object with a member for each row")
        }
        self.rows = rows
    }

    /// What of a row is worse than it may be.
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
                    ? "\(bound.key) is \(decimal(measured, 3)), and may be \(text) at \(limit.key == "min" ? "least" : "most")"
                    : nil
            }
        }
    }
}
