import Basics
import Expectations

/// Reports as one HTML page: a matrix of cases × reports, and a section for each case.
///
/// The page is self-contained: its Content Security Policy forbids scripts and all requests.
package enum HTMLReport {
    package static func text(of columns: [ReportColumn]) -> String { Page(Matrix(columns)).html.text }
}

private struct Page {
    private let matrix: Matrix
    private let isSingle: Bool

    init(_ matrix: Matrix) { (self.matrix, isSingle) = (matrix, matrix.columns.count == 1) }

    var html: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(headline) - Lubdub</title>
        <link rel="icon" href="\(Self.icon)">
        <style>
        \(Self.style)</style>
        </head>
        <body>
        \(header)<main>
        \(table)\(cases)</main>
        <footer>Written by Lubdub, free software under the Apache License 2.0.</footer>
        </body>
        </html>

        """
    }

    private static let style = HTML(trusted: String(decoding: PackageResources.page_css, as: UTF8.self))

    private static let heart: HTML =
        "M12 21C6 16.3 2 12.7 2 8.5A5.3 5.3 0 0 1 12 6a5.3 5.3 0 0 1 10 2.5C22 12.7 18 16.3 12 21z"
    private static let icon: HTML =
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path fill='%23c8102e' d='\(heart)'/></svg>"

    // MARK: Summary

    private var total: Report.Tally { Report.Tally(matrix.columns.flatMap { $0.report.cases.map(\.outcome.verdict) }) }

    private var headline: String {
        guard isSingle else {
            return "\(matrix.rows.count.counted("case")) in \(matrix.columns.count.counted("report"))"
        }
        let total = total
        let judged = total.total - total[.skip]
        guard judged > 0 else { return "No case has a verdict" }
        let rest = matrix.columns[0].report.gaps.isEmpty ? "" : ", and others are missing"
        if total[.pass] == judged { return (judged == 1 ? "The case passes" : "All \(judged) cases pass") + rest }
        return
            "\(judged - total[.pass]) of \(judged.counted("case")) \(judged - total[.pass] == 1 ? "does" : "do") not pass\(rest)"
    }

    private var header: HTML {
        let report = matrix.columns[0].report
        let versions = matrix.columns.map(\.report.version).reduce(into: [String]()) { versions, version in
            if !versions.contains(version) { versions.append(version) }
        }
        var facts = "lubdub \(versions.joined(separator: ", "))"
        let seed = report.facts.isEmpty ? " · seed \(report.seed)" : ""
        if isSingle { facts += "\(seed) · \(report.duration.formatted) \(report.timeWords)" }
        return """
            <header>
            <svg class="pulse" viewBox="0 0 1200 120" preserveAspectRatio="xMaxYMid slice" aria-hidden="true"><path d="M0 70H860l14-14 16 14h22l10 14 16-76 18 98 14-36h26l18-20 20 20H1200"/></svg>
            <p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="\(Self.heart)"/></svg>Lubdub</p>
            <h1>\(headline)</h1>
            <p class="facts">\(facts)</p>
            \(isSingle ? tallies(total) : HTML.nothing)\(gaps)\(isSingle ? campaign(report) : HTML.nothing)\(isSingle ? identity(report) : HTML.nothing)</header>

            """
    }

    /// The cases of a campaign that did not pass in every run.
    private func campaign(_ report: Report) -> HTML { list(report.campaign.map(\.line)) }

    /// Why cases are missing.
    private var gaps: HTML {
        list(
            matrix.columns.flatMap { column in
                column.report.gaps.map { isSingle ? $0 : "\(column.name): \($0)" }
            })
    }

    private func list(_ lines: [String]) -> HTML {
        let items = lines.map { line -> HTML in "<li>\(line)</li>\n" }
        return lines.isEmpty ? .nothing : "<ul class=\"campaign\">\n\(items)</ul>\n"
    }

    /// What identifies a real peripheral and the run.
    private func identity(_ report: Report) -> HTML {
        guard !report.facts.isEmpty else { return .nothing }
        let facts = report.facts.map { fact -> HTML in "<dt>\(fact.name)</dt><dd>\(fact.value)</dd>" }
        let attributes = report.attributes.map { line -> HTML in "\(line)\n" }
        let table: HTML =
            attributes.isEmpty
            ? .nothing
            : "<details class=\"said\"><summary>attributes</summary><pre class=\"trace\" tabindex=\"0\">\(attributes)</pre></details>\n"
        return "<dl class=\"identity\">\(facts)</dl>\n\(table)"
    }

    /// A bar, and the number of cases for each verdict.
    private func tallies(_ tally: Report.Tally) -> HTML {
        guard tally.total > 0 else { return .nothing }
        let numbers = tally.verdicts.map { verdict -> HTML in
            "<li class=\"\(verdict.rawValue)\"><b>\(tally[verdict])</b> \(verdict.rawValue)</li>"
        }
        return "\(bar(tally))<ul class=\"tallies\">\(numbers)</ul>\n"
    }

    private func bar(_ tally: Report.Tally) -> HTML {
        let parts = tally.verdicts.map { verdict -> HTML in
            "<i class=\"\(verdict.rawValue)\" style=\"flex-grow:\(tally[verdict])\"></i>"
        }
        return "<div class=\"bar\" role=\"img\" aria-label=\"\(tally.words())\">\(parts)</div>"
    }

    // MARK: Cases × reports

    private var table: HTML {
        let (hasGood, hasOther) = (matrix.rows.contains(where: \.isGood), matrix.rows.contains { !$0.isGood })
        let differs = !isSingle && matrix.rows.contains { !$0.isAlike } && matrix.rows.contains(where: \.isAlike)
        let filters = [
            hasGood && hasOther ? filter("faults", "failures only") : .nothing,
            differs ? filter("differences", "differences only") : .nothing,
        ]
        let heads = isSingle ? ["<th scope=\"col\">verdict</th>"] : matrix.columns.map(head)
        return """
            <section class="matrix" aria-labelledby="matrix">
            <div class="title"><h2 id="matrix">\(isSingle ? "Cases" : "Cases and reports")</h2>\(filters)</div>
            <div class="scroll" role="region" aria-labelledby="matrix" tabindex="0">
            <table\(isSingle ? " class=\"single\"" : HTML.nothing)>
            <thead><tr><th scope="col">case</th>\(heads)</tr></thead>
            \(matrix.groups.map { rows($0, isOnly: matrix.groups.count == 1) })</table>
            </div>
            </section>

            """
    }

    private func head(_ column: ReportColumn) -> HTML {
        let tally = column.report.summary
        return """
            <th scope="col"><span class="name">\(column.name)</span>\(bar(tally))<small>\(tally.words(of: tally.verdicts))</small></th>
            """
    }

    private func filter(_ id: String, _ label: String) -> HTML {
        "<label><input type=\"checkbox\" id=\"\(id)\"> \(label)</label>"
    }

    private func rows(_ group: Matrix.Group, isOnly: Bool) -> HTML {
        let counts = group.tallies.map { tally -> HTML in "<td>\(tally.words(of: tally.verdicts))</td>" }
        let head: HTML =
            isOnly && group.name == nil
            ? .nothing
            : "<tr class=\"group\"><th scope=\"rowgroup\">\(Report.title(ofGroup: group.name))</th>\(counts)</tr>\n"
        return "<tbody>\n\(head)\(group.rows.map(row))</tbody>\n"
    }

    private func row(_ row: Matrix.Row) -> HTML {
        let classes = [row.isGood ? "good" : nil, row.isAlike ? "alike" : nil].compactMap { $0 }.joined(separator: " ")
        let cells = row.entries.enumerated().map { column, entry -> HTML in
            guard let entry else { return "<td><span class=\"v none\">not included</span></td>" }
            let badge = CaseSection.badge(entry.outcome.verdict)
            guard CaseSection.isNeeded(for: entry) else { return "<td>\(badge)</td>" }
            return "<td><a href=\"#\(CaseSection.anchor(row, column))\">\(badge)</a></td>"
        }
        return """
            <tr class="\(classes)"><th scope="row"><span class="id">\(breakable: row.id)</span><span class="label">\(row.title)</span></th>\(cells)</tr>

            """
    }

    // MARK: Sections of cases

    private var cases: HTML {
        let sections = matrix.rows.flatMap { row in
            row.entries.enumerated().compactMap { column, entry -> CaseSection? in
                guard let entry, CaseSection.isNeeded(for: entry) else { return nil }
                return CaseSection(row, column, entry, report: isSingle ? nil : matrix.columns[column].name)
            }
        }
        let faults = sections.filter(\.isFault)
        return section("Failures", faults)
            + section(
                faults.isEmpty ? "Cases" : "Other cases", sections.filter { !$0.isFault })
    }

    private func section(_ title: String, _ sections: [CaseSection]) -> HTML {
        guard !sections.isEmpty else { return .nothing }
        return """
            <section class="cases">
            <h2>\(title)</h2>
            \(sections.map(\.html))</section>

            """
    }
}
