public import Conformance
import Expectations

/// One of the reports that stand side by side.
public struct ReportColumn: Sendable {
    /// What the column is called.
    public let name: String
    /// What stands in it.
    public let report: Report

    /// This report under this name.
    public init(_ name: String, _ report: Report) { (self.name, self.report) = (name, report) }
}

/// Cases × reports.
struct Matrix {
    /// A case in all reports.
    struct Row {
        let id: String
        /// Counted from 0, over all groups.
        fileprivate(set) var number = 0
        /// For each column; nil where a report does not have the case.
        fileprivate(set) var entries: [Report.Entry?]

        /// As the first report has it that has the case.
        var title: String { entries.lazy.compactMap { $0?.outcome.title }.first ?? "" }
        /// Whether it passes wherever it was judged, and was judged.
        var isGood: Bool {
            let verdicts = verdicts.filter { $0 != .skip }
            return !verdicts.isEmpty && verdicts.allSatisfy { $0 == .pass }
        }
        /// Whether it has one verdict in all reports.
        var isAlike: Bool { entries.dropFirst().allSatisfy { $0?.outcome.verdict == entries[0]?.outcome.verdict } }

        private var verdicts: [Verdict] { entries.compactMap { $0?.outcome.verdict } }
    }

    /// The cases of a folder.
    struct Group {
        let name: String
        fileprivate(set) var rows: [Row]
        /// What came of them, in each column.
        let tallies: [Report.Tally]
    }

    /// As they were given.
    let columns: [ReportColumn]
    /// In the order of the first report; what only others have stands behind.
    let groups: [Group]

    var rows: [Row] { groups.flatMap(\.rows) }

    init(_ columns: [ReportColumn]) {
        self.columns = columns
        var (names, rows): ([String], [String: [Row]]) = ([], [:])
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
    /// Those that there are.
    var verdicts: [Verdict] { Verdict.allCases.filter { self[$0] > 0 } }
}
