import Expectations

package struct ReportColumn: Sendable {
    package let name: String
    package let report: Report

    package init(_ name: String, _ report: Report) { (self.name, self.report) = (name, report) }
}

struct Matrix {
    /// A case in all reports.
    struct Row {
        let id: String
        /// Counted from 0, over all groups.
        fileprivate(set) var number = 0
        /// One for each column; nil if the report does not include the case.
        fileprivate(set) var entries: [Report.Entry?]

        /// The title in the first report that includes the case.
        var title: String { entries.lazy.compactMap { $0?.outcome.title }.first ?? "" }
        /// Whether it passes in at least one report, and is otherwise skipped.
        var isGood: Bool {
            let verdicts = verdicts.filter { $0 != .skip }
            return !verdicts.isEmpty && verdicts.allSatisfy { $0 == .pass }
        }
        var isAlike: Bool { entries.dropFirst().allSatisfy { $0?.outcome.verdict == entries[0]?.outcome.verdict } }

        private var verdicts: [Verdict] { entries.compactMap { $0?.outcome.verdict } }
    }

    /// The cases of a folder.
    struct Group {
        /// Nil for cases without a folder.
        let name: String?
        fileprivate(set) var rows: [Row]
        /// Their verdicts in each column.
        let tallies: [Report.Tally]
    }

    /// In the given order.
    let columns: [ReportColumn]
    /// In the order of the first report, then of the others.
    let groups: [Group]

    var rows: [Row] { groups.flatMap(\.rows) }

    init(_ columns: [ReportColumn]) {
        self.columns = columns
        var (names, rows): ([String?], [String?: [Row]]) = ([], [:])
        var places: [String: Int] = [:]
        for (column, report) in columns.map(\.report).enumerated() {
            for group in report.groups {
                if rows[group.name] == nil { names.append(group.name) }
                var own = rows.removeValue(forKey: group.name) ?? []
                for entry in group.cases {
                    let place = places[entry.id] ?? own.count
                    if place == own.count {
                        places[entry.id] = place
                        own.append(Row(id: entry.id, entries: Array(repeating: nil, count: columns.count)))
                    }
                    own[place].entries[column] = entry
                }
                rows[group.name] = own
            }
        }
        var number = 0
        groups = names.map { name in
            var rows = rows[name] ?? []
            for place in rows.indices {
                rows[place].number = number
                number += 1
            }
            let tallies = columns.indices.map { column in
                Report.Tally(rows.compactMap { $0.entries[column]?.outcome.verdict })
            }
            return Group(name: name, rows: rows, tallies: tallies)
        }
    }
}

extension Report.Tally {
    var verdicts: [Verdict] { Verdict.allCases.filter { self[$0] > 0 } }
}
