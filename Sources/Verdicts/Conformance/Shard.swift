extension Selection {
    /// One of several parts of about equal size: `2/4`.
    package struct Shard: Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        package let part: Int
        package let count: Int

        /// Nil unless it is written `I/N`, with I from 1 to N.
        package init?(_ text: String) {
            let words = text.split(separator: "/", omittingEmptySubsequences: false)
            guard words.count == 2, let part = Self.number(words[0]), let count = Self.number(words[1]), part >= 1,
                part <= count
            else { return nil }
            (self.part, self.count) = (part, count)
        }

        package var description: String { "\(part)/\(count)" }

        /// The position in the suite of its case number `index`, from 0; nil if there is no such number.
        package func place(of index: Int) -> Int? {
            let (product, overflows) = index.multipliedReportingOverflow(by: count)
            let (place, carries) = product.addingReportingOverflow(part - 1)
            return overflows || carries ? nil : place
        }

        func contains(_ index: Int) -> Bool { index % count == part - 1 }

        static func number(_ text: some StringProtocol) -> Int? {
            text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
        }
    }
}

/// What `--shard` accepts: a part, or `auto`, whose part is in the environment.
package enum ShardChoice: Hashable, Sendable {
    case part(Selection.Shard)
    /// The number of parts is nil if the environment has it, too.
    case automatic(of: Int?)

    /// Nil unless it is written `I/N`, `auto` or `auto/N`.
    package init?(_ text: String) {
        if text == "auto" {
            self = .automatic(of: nil)
        } else if text.hasPrefix("auto/") {
            guard let count = Selection.Shard.number(text.dropFirst(5)), count >= 1 else { return nil }
            self = .automatic(of: count)
        } else {
            guard let shard = Selection.Shard(text) else { return nil }
            self = .part(shard)
        }
    }
}
