import Basics

/// A figure of what happened in a case: a track for each device and one for the script, and heart rates over time.
///
/// Positions are percentages of the case's duration, so the figure fits any width and text keeps its size.
struct TimelineFigure {
    private let timeline: CaseTimeline
    private let length: Int64  // in nanoseconds
    private let faults: [Instant]

    init(_ timeline: CaseTimeline, of length: Duration, faults: [Instant]) {
        self.timeline = timeline
        self.faults = faults.sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        self.length = max(length.inNanoseconds, 1)
    }

    var html: HTML {
        """
        <figure class="picture">
        \(timeline.lanes.map(track))\(script)\(plot)\(axis)\(legend)</figure>

        """
    }

    // MARK: Time

    /// The position of an instant, in percent with two decimals.
    private func place(_ instant: Instant) -> HTML { percent(share(instant)) }

    /// The position of an instant, in units of 0.01 %.
    private func share(_ instant: Instant) -> Int {
        let nanoseconds = min(max(instant.nanoseconds, 0), length)
        return Int((Double(nanoseconds) / Double(length) * 10_000).rounded())
    }

    private func percent(_ share: Int) -> HTML {
        share % 100 == 0 ? "\(share / 100)%" : "\(share / 100).\((share % 100).zeroPadded(to: 2))%"
    }

    private var marks: [HTML] { faults.map { "<i class=\"mark\" style=\"left:\(place($0))\"></i>" } }

    private var axis: HTML {
        let unit = Duration.Unit(for: .nanoseconds(length))
        let scale = Scale(from: 0, to: Double(length) / Double(unit.size), atMost: 5)
        let marks = scale.marks.map { mark -> HTML in
            let instant = Instant(nanoseconds: Int64(mark * Double(unit.size)))
            return "<span style=\"left:\(place(instant))\">\(mark.short)</span>"
        }
        return
            "<div class=\"row axis\" aria-hidden=\"true\"><span class=\"name\">\(unit.name)</span><div>\(marks)</div></div>\n"
    }

    // MARK: Tracks

    private func track(_ lane: CaseTimeline.Lane) -> HTML {
        let spans = lane.spans.filter { $0.content != .silent }
        let bars = spans.map { bar($0.content.rawValue, $0.content.rawValue, $0.begin, $0.end) }
        let words = lane.spans.map { "\($0.content.rawValue) from \($0.begin.sinceStart.formattedInSeconds)" }.joined(
            separator: ", ")
        return row(lane.name, bars, words)
    }

    private var script: HTML {
        guard !timeline.operations.isEmpty else { return .nothing }
        let bars = timeline.operations.map { bar("action", $0.content, $0.begin, $0.end) }
        let words = timeline.operations.map {
            "\($0.content) from \($0.begin.sinceStart.formattedInSeconds) to \($0.end.sinceStart.formattedInSeconds)"
        }
        return row("script", bars, words.joined(separator: ", "))
    }

    private func row(_ name: String, _ bars: [HTML], _ words: String) -> HTML {
        "<div class=\"row\"><span class=\"name\">\(name)</span><div class=\"track\" role=\"img\" aria-label=\"\(name): \(words)\">\(bars)\(marks)</div></div>\n"
    }

    /// A bar, with text if it has room.
    private func bar(_ kind: String, _ name: String, _ begin: Instant, _ end: Instant) -> HTML {
        let width = share(end) - share(begin)
        let words: HTML = width > 800 ? "\(name)" : .nothing
        return
            "<i class=\"\(kind)\" style=\"left:\(place(begin));width:\(percent(width))\" title=\"\(name), \(begin.sinceStart.formattedInSeconds) to \(end.sinceStart.formattedInSeconds)\">\(words)</i>"
    }

    // MARK: Heart rates

    private var curves: [Curve] { timeline.lanes.map(\.heartRate).filter { !$0.points.isEmpty } }

    private var plot: HTML {
        let points = (curves + [timeline.shown]).flatMap(\.points)
        guard let low = points.map(\.low).min(), let high = points.map(\.high).max() else { return .nothing }
        let margin = max((high - low) * 0.15, 5)
        let (bottom, top) = (max(low - margin, min(low, 0)), high + margin)
        let scale = Scale(from: bottom, to: top, atMost: 4)
        let height = { (value: Double) in Int(((top - value) / (top - bottom) * 400).rounded()) }
        let grid = scale.marks.map { mark -> HTML in "<path class=\"grid\" d=\"M0 \(height(mark))H2000\"/>" }
        let labels = scale.marks.map { mark -> HTML in
            "<span style=\"top:\(percent(height(mark) * 25))\">\(mark.short)</span>"
        }
        let words = "Heart rates from \(low.short) to \(high.short) bpm"
        return """
            <div class="row"><span class="name bpm" aria-hidden="true">\(labels)bpm</span><div class="plot"><svg viewBox="0 0 2000 400" preserveAspectRatio="none" role="img" aria-label="\(words)">\(grid)\(curves.map { path($0, "sent", height) })\(path(timeline.shown, "shown", height))</svg>\(marks)</div></div>

            """
    }

    private func path(_ curve: Curve, _ kind: String, _ height: (Double) -> Int) -> HTML {
        var text = ""
        var isOpen = false
        var last = Instant.start
        for point in curve.points {
            let x = share(point.instant) / 5
            if isOpen, last.duration(to: point.instant) > max(.seconds(5), curve.width * 3) { isOpen = false }
            text += "\(isOpen ? "L" : "M")\(x) \(height(point.low))"
            // A single value is a dot, which is visible only as a short line.
            if point.high > point.low { text += "V\(height(point.high))" } else if !isOpen { text += "h1" }
            (isOpen, last) = (!point.isLast, point.instant)
        }
        return text.isEmpty ? .nothing : "<path class=\"\(kind)\" d=\"\(text)\"/>"
    }

    private var legend: HTML {
        let has = { (phase: CaseTimeline.Phase) in timeline.lanes.contains { $0.spans.contains { $0.content == phase } }
        }
        var items = CaseTimeline.Phase.allCases.filter { $0 != .silent && has($0) }.map { phase -> HTML in
            "<li><i class=\"\(phase.rawValue)\"></i>\(phase.rawValue)</li>"
        }
        if !curves.isEmpty { items.append("<li><i class=\"sent\"></i>heart rate that arrived</li>") }
        if !timeline.shown.points.isEmpty {
            items.append("<li><i class=\"shown\"></i>heart rate that the client printed</li>")
        }
        if !faults.isEmpty { items.append("<li><i class=\"mark\"></i>fail</li>") }
        return "<figcaption><ul>\(items)</ul></figcaption>\n"
    }
}

extension Double {
    /// With at most two decimals.
    fileprivate var short: String {
        guard abs(self) < 1e15 else { return "\(self)" }
        let hundredths = Int64((self * 100).rounded())
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        let (sign, size) = (hundredths < 0 ? "-" : "", hundredths.magnitude)
        let decimals = (size % 100).zeroPadded(to: 2)
        return "\(sign)\(size / 100).\(decimals.last == "0" ? String(decimals.dropLast()) : decimals)"
    }
}
