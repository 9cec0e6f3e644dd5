package import Basics

extension Report {
    /// A report that is merged with others.
    package struct Part: Sendable {
        /// The name of its file, for messages.
        let file: String
        let report: Report

        package init(_ file: String, _ report: Report) { (self.file, self.report) = (file, report) }
    }

    /// One report of several, whose cases are in the suite's order if the parts are its shards.
    ///
    /// Throws if parts contain the same case, or are not of the same version or the same split.
    package init(merging parts: [Part]) throws(Obstacle) {
        guard let first = parts.first else { throw Obstacle(.usage, "there is no report to merge") }
        var (files, places): ([String: String], [(place: Int, entry: Entry)]) = ([:], [])
        for part in parts {
            guard part.report.version == first.report.version else {
                throw Obstacle(
                    .usage,
                    "\(first.file) is of lubdub \(first.report.version.abbreviated), and \(part.file) of "
                        + "\(part.report.version.abbreviated): run all parts with the same version")
            }
            guard part.report.shard?.count == first.report.shard?.count else {
                throw Obstacle(
                    .usage,
                    "\(first.file) is \(first.report.shardWords), and \(part.file) is \(part.report.shardWords): "
                        + "merge the parts of one run")
            }
            for (index, entry) in part.report.cases.enumerated() {
                if let other = files.updateValue(part.file, forKey: entry.id) {
                    throw Obstacle(
                        .usage,
                        "\(other) and \(part.file) both contain the case \(entry.id.abbreviated.quoted): merge each part once"
                    )
                }
                places.append((part.report.shard?.place(of: index) ?? places.count, entry))
            }
        }
        let seeds = Set(parts.map(\.report.seed))
        self.init(version: first.report.version, seed: seeds.count == 1 ? seeds.first : nil)
        let order = places.indices.sorted { (places[$0].place, $0) < (places[$1].place, $1) }
        for place in order {
            let entry = places[place].entry
            add(entry.id, entry.outcome, run: entry.run)
        }
    }

    private var shardWords: String { shard.map { "shard \($0)" } ?? "not a shard" }

    /// What is missing from the parts of a split suite, one line each.
    package static func gaps(in parts: [Part]) -> [String] {
        guard let count = parts.first?.report.shard?.count else { return [] }
        let present = Dictionary(parts.compactMap { part in part.report.shard.map { ($0.part, part) } }) { one, _ in one
        }
        let longest = parts.map(\.report.cases.count).max() ?? 0
        let total = count - present.count
        let missing = (1...count).lazy.filter { present[$0] == nil }.prefix(20)
        var lines: [String] = []
        if total > 0 {
            let list = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
            lines.append("missing: shard \(list)\(total > 20 ? " and \(total - 20) more" : "")")
        }
        // Parts differ by one case at most.
        for (_, part) in present.sorted(by: { $0.key < $1.key }) where part.report.cases.count < longest - 1 {
            lines.append(
                "\(part.file) has only \(part.report.cases.count.counted("case")): it was interrupted, or ended by --until-fail"
            )
        }
        return lines
    }
}
