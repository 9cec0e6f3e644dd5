package import Arguments
package import CommandSupport
package import Conformance
import TextFormatting

/// The cases that `--only` and `--shard` select; throws when they select none.
package func selectCases(from cases: [Case], _ invocation: Invocation) throws(CommandFailure) -> [Case] {
    let shard = try orFail {
        try invocation.value("--shard", as: "I/N with I from 1 to N, for example 2/4") { Selection.Shard($0) }
    }
    let only = invocation.texts("--only")
    let matching = Selection(only: only.map { Glob($0) }, nil).chosen(of: cases)
    let selected = Selection(only: only.map { Glob($0) }, shard).chosen(of: cases)
    guard selected.isEmpty else { return selected }
    guard !cases.isEmpty else { throw CommandFailure(.environment, "the suite has no cases") }
    guard !matching.isEmpty else {
        let patterns = only.map(\.quoted).joined(separator: " or ")
        let single = cases.count == 1 ? cases.first : nil
        let hint = single.map { "the only case is \($0.id.quoted)" } ?? "\(cases.count) cases; see --list"
        throw CommandFailure(.environment, "no case matches \(patterns) (\(hint))")
    }
    throw CommandFailure(
        .environment,
        "shard \(invocation.text("--shard") ?? "") is empty: only \(matching.count) "
            + "case\(matching.count == 1 ? " is" : "s are") selected")
}
