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
        gaps = Self.gaps(in: parts)
        let times = Set(parts.map(\.report.time)), charges = Set(parts.map(\.report.compute))
        time = times.count > 1 ? .mixed : first.report.time
        compute = charges.count > 1 ? "different times" : first.report.compute
    }

    private var shardWords: String { shard.map { "shard \($0)" } ?? "not a shard" }

    /// What is missing from the parts, one line each: shards of a split suite, and cases that the parts lack.
    package static func gaps(in parts: [Part]) -> [String] {
        // Shards differ by one case at most; older versions did not report that cases are missing.
        let least = (parts.map(\.report.cases.count).max() ?? 0) - 1
        return missingShards(parts)
            + parts.flatMap { part -> [String] in
                let (file, report) = (part.file, part.report)
                guard report.gaps.isEmpty, report.shard != nil, report.cases.count < least else {
                    return report.gaps.map { "\(file): \($0)" }
                }
                let count = report.cases.count.counted("case")
                return ["\(file) has only \(count): it was interrupted, or ended by --until-fail"]
            }
    }

    private static func missingShards(_ parts: [Part]) -> [String] {
        guard let count = parts.first?.report.shard?.count else { return [] }
        let present = Set(parts.compactMap(\.report.shard?.part))
        let total = count - present.count
        guard total > 0 else { return [] }
        let missing = (1...count).lazy.filter { !present.contains($0) }.prefix(20)
        let list = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
        return ["missing: shard \(list)\(total > 20 ? " and \(total - 20) more" : "")"]
    }
}
