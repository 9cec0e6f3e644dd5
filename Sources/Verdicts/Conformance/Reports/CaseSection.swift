import Basics
import Expectations

/// The section of an HTML page about one case in one report.
struct CaseSection {
    private static func sign(_ verdict: Verdict) -> String {
        switch verdict {
        case .pass: "✓"
        case .fail: "✗"
        case .inconclusive: "?"
        case .skip: "–"
        case .error: "!"
        }
    }

    private let anchor: String
    private let entry: Report.Entry
    private let report: String?

    /// `report` is the name of the report if there are several.
    init(_ row: Matrix.Row, _ column: Int, _ entry: Report.Entry, report: String?) {
        (anchor, self.entry, self.report) = (Self.anchor(row, column), entry, report)
    }

    /// The anchor that a cell of the matrix links to.
    static func anchor(_ row: Matrix.Row, _ column: Int) -> String { "case-\(row.number)-\(column)" }

    /// Whether there is more to show than the verdict.
    static func isNeeded(for entry: Report.Entry) -> Bool {
        entry.outcome.verdict != .pass || entry.outcome.timeline != nil || !entry.outcome.clientErrors.isEmpty
    }

    static func badge(_ verdict: Verdict) -> HTML {
        "<span class=\"v \(verdict.rawValue)\"><i aria-hidden=\"true\">\(sign(verdict))</i> \(verdict.rawValue)</span>"
    }

    /// Whether it comes first, and is open.
    var isFault: Bool { entry.outcome.isFault }

    /// The anchor is inside, so that a browser that follows a link to it opens the section.
    var html: HTML {
        let outcome = entry.outcome
        let known: HTML = outcome.isKnown ? "<span class=\"from\">known</span>" : .nothing
        let title: HTML = outcome.title == entry.id ? .nothing : "<span class=\"label\">\(outcome.title)</span>"
        let from: HTML = report.map { "<span class=\"from\">\($0)</span>" } ?? .nothing
        return """
            <details class="case \(outcome.verdict.rawValue)"\(isFault ? " open" : HTML.nothing)>
            <summary>\(Self.badge(outcome.verdict))<span class="id">\(breakable: entry.id)</span>\(known)\(from)\(title)<span class="time">\(outcome.duration.formatted)</span></summary>
            <div class="body" id="\(anchor)">
            \(outcome.faults.map(fault))\(note)\(picture)\(said)\(errors)\(passed)\(replay)</div>
            </details>

            """
    }

    private func fault(_ finding: CaseFinding) -> HTML {
        let id: HTML = finding.id.map { "<b>\(breakable: $0)</b> " } ?? .nothing
        let badge = finding.verdict == entry.outcome.verdict ? HTML.nothing : Self.badge(finding.verdict)
        let requirement: HTML = finding.requirement.map { "<span class=\"requirement\">\($0)</span>" } ?? .nothing
        let head: HTML =
            finding.id == nil && finding.requirement == nil
            ? .nothing : "<h3>\(badge)\(id)\(requirement)</h3>\n"
        var facts: [HTML] = []
        if let why = finding.why {
            if let expected = why.expected { facts.append("<dt>expected</dt><dd>\(expected)</dd>") }
            facts.append("<dt>\(why.expected == nil ? "reason" : "seen")</dt><dd>\(why.seen)</dd>")
        }
        if let instant = finding.instant { facts.append("<dt>at</dt><dd>\("\(instant)") s</dd>") }
        if let cause = finding.why?.cause { facts.append("<dt>cause</dt><dd>\(cause)</dd>") }
        let list: HTML = facts.isEmpty ? .nothing : "<dl>\(facts)</dl>\n"
        return "<div class=\"fault\">\n\(head)\(list)\(trace(finding.trace))</div>\n"
    }

    private func trace(_ lines: [String]) -> HTML {
        guard !lines.isEmpty else { return .nothing }
        let rows = lines.map { line -> HTML in
            let kind = line.contains("  -> ") ? "sent" : line.contains("  <- ") ? "received" : "said"
            return "<span class=\"\(kind)\">\(line)</span>\n"
        }
        return "<pre class=\"trace\" tabindex=\"0\" aria-label=\"Packet trace\">\(rows)</pre>\n"
    }

    private var picture: HTML {
        guard let timeline = entry.outcome.timeline else { return .nothing }
        let faults = entry.outcome.faults.filter { $0.verdict == .fail }.compactMap(\.instant)
        return TimelineFigure(timeline, of: entry.outcome.duration, faults: faults).html
    }

    private var said: HTML {
        guard let timeline = entry.outcome.timeline, !timeline.printedLines.isEmpty else { return .nothing }
        let rows = timeline.printedLines.map { printed -> HTML in
            "<tr><td>\("\(printed.instant)")</td><td>\(printed.line)</td></tr>\n"
        }
        let more: HTML =
            timeline.omittedLineCount > 0
            ? "<p>and \(timeline.omittedLineCount.counted("line")) more of the same kinds</p>\n" : .nothing
        return """
            <details class="said"><summary>client output</summary>
            <table><thead><tr><th scope="col">second</th><th scope="col">line</th></tr></thead>
            <tbody>
            \(rows)</tbody></table>
            \(more)</details>

            """
    }

    private var note: HTML { entry.outcome.note.map { "<p class=\"note\">note: \($0)</p>\n" } ?? .nothing }

    private var errors: HTML {
        let lines = entry.outcome.clientErrors
        guard !lines.isEmpty else { return .nothing }
        return """
            <details class="said"><summary>standard error</summary>
            <pre class="trace" tabindex="0">\(lines.map { line -> HTML in "\(line)\n" })</pre>
            </details>

            """
    }

    private var passed: HTML {
        let passed = entry.outcome.findings.filter { $0.verdict == .pass }
        guard !passed.isEmpty else { return .nothing }
        let names = passed.map { finding -> HTML in
            let requirement: HTML = finding.requirement.map { " <span class=\"requirement\">\($0)</span>" } ?? .nothing
            return "<li>\(finding.id ?? "")\(requirement)</li>"
        }
        return "<div class=\"passed\">passed <ul>\(names)</ul></div>\n"
    }

    private var replay: HTML {
        guard let replay = entry.outcome.replay else { return .nothing }
        return "<p class=\"replay\">replay: <code tabindex=\"0\">\(replay)</code></p>\n"
    }
}
