import Testing

private let once = #""expect": "stream", "of": "patch/ecg""#
private let prompt = #""expect": "stream", "of": "patch/ecg", "max": "2 s""#
private let begun = line(0, "subscribed", of: "patch/ecg/samples")

/// A delivered frame of 10 samples.
private func frame(_ seconds: Double, _ index: Int) -> String {
    line(seconds, "delivered", of: "patch/ecg/samples", ", \"value\": {\"samples\": 10, \"index\": \(index)}")
}

/// A line about samples from an index on.
private func drawn(_ seconds: Double, _ index: Int, _ samples: Int = 10, lost: Int = 0) -> String {
    said(seconds, "{\"ecg\": {\"samples\": \(samples), \"lost\": \(lost), \"index\": \(index)}}")
}

/// Frames with the indices 0, 10 and 20.
private let three = begun + frame(1, 0) + frame(2, 10) + frame(3, 20)

/// The same with time stamps, in Polar's format.
private func polar(_ seconds: Double, _ stamp: Int) -> String {
    line(seconds, "delivered", of: "patch/ecg/samples", ", \"value\": {\"samples\": 10, \"timestamp\": \(stamp)}")
}

private func drawn(_ seconds: Double, until stamp: Int, _ samples: Int = 10) -> String {
    said(seconds, "{\"ecg\": {\"samples\": \(samples), \"lost\": 0, \"timestamp\": \(stamp)}}")
}

/// Lines about a stream of samples.
@Suite struct StreamTests {
    @Test(arguments: [
        Row(once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 10) + drawn(2, 10), "pass 60.000000"),
        Row(once, three + drawn(3, 0, 30), "pass 60.000000"),
        Row(once, three + drawn(3, 0, 15) + drawn(3, 15, 15), "pass 60.000000"),
        Row(once, three + drawn(3, 10, 20), "pass 60.000000"),
        // Shown again, in another order, and before they arrived.
        Row(once, three + drawn(3, 0) + drawn(4, 0), "fail 4.000000"),
        Row(once, three + drawn(3, 0) + drawn(4, 5), "fail 4.000000"),
        Row(once, three + drawn(3, 20) + drawn(4, 10), "fail 4.000000"),
        Row(once, three + drawn(3, 0, 40), "fail 3.000000"),
        Row(once, begun + frame(1, 0) + drawn(1, 0) + drawn(1.5, 10) + frame(2, 10), "fail 1.500000"),
        // Left out.
        Row(once, three + drawn(3, 0) + drawn(4, 20), "fail 4.000000"),
        Row(once, three + drawn(3, 0) + drawn(4, 20, lost: 10), "fail 4.000000"),
        Row(once, three + drawn(3, 0) + drawn(4, 10, lost: 10), "fail 4.000000"),
    ])
    func `Each sample is in one line`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        // 10 to 19 were lost.
        Row(once, begun + frame(1, 0) + frame(2, 20) + drawn(2, 0, 20, lost: 10), "pass 60.000000"),
        Row(once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + drawn(2, 20, lost: 10), "pass 60.000000"),
        Row(
            once,
            begun + frame(1, 0) + drawn(1, 0) + said(2, #"{"ecg": {"samples": 0, "lost": 10}}"#) + frame(2, 20)
                + drawn(3, 20), "pass 60.000000"),
        Row(once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + drawn(2, 20), "fail 2.000000"),
        Row(once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + drawn(2, 10, 20), "fail 2.000000"),
        Row(once, begun + frame(1, 0) + frame(2, 20) + drawn(2, 0, 30), "fail 2.000000"),
    ])
    func `Lost samples are counted`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        // Frames that come twice.
        Row(once, begun + frame(1, 0) + frame(1, 0) + drawn(1, 0) + frame(2, 10) + drawn(2, 10), "pass 60.000000"),
        Row(once, begun + frame(1, 0) + frame(1, 0) + drawn(1, 0, 20), "fail 1.000000"),
        // A frame that comes after the next one may be dropped, or shown in its place.
        Row(once, begun + frame(1, 10) + frame(1, 0) + frame(2, 20) + drawn(2, 10, 20), "pass 60.000000"),
        Row(
            once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + frame(2, 10) + drawn(3, 20, lost: 10),
            "pass 60.000000"),
        Row(once, begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + frame(2, 10) + drawn(3, 10, 20), "pass 60.000000"),
        Row(
            once,
            begun + frame(1, 0) + drawn(1, 0) + frame(2, 20) + drawn(2, 20, lost: 10) + frame(3, 10) + drawn(3, 10),
            "fail 3.000000"),
        // An index after the greatest one is 0.
        Row(
            once, begun + frame(1, 4_294_967_291) + drawn(1, 4_294_967_291) + frame(2, 5) + drawn(2, 5),
            "pass 60.000000"),
        Row(
            once, begun + frame(1, 4_294_967_291) + drawn(1, 4_294_967_291) + frame(2, 5) + drawn(2, 6), "fail 2.000000"
        ),
    ])
    func `Frames twice, late, and with great indices`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        Row(prompt, begun + frame(1, 0) + drawn(1, 0) + frame(2, 10) + drawn(4, 10), "pass 60.000000"),
        Row(prompt, begun + frame(1, 0) + drawn(1, 0) + frame(2, 10) + drawn(4.1, 10), "fail 4.000001"),
        Row(prompt, three + drawn(3, 0) + drawn(3.5, 10), "fail 5.000001"),
        // Nothing is owed before the first line, and after the end of a subscription or a link.
        Row(prompt, begun + frame(1, 0) + drawn(9, 0), "pass 60.000000"),
        Row(
            prompt, begun + frame(1, 0) + drawn(1, 0) + frame(2, 10) + line(3, "disconnected", of: "patch"),
            "pass 60.000000"),
        Row(
            prompt,
            begun + frame(1, 0) + drawn(1, 0) + frame(2, 10) + line(3, "unsubscribed", of: "patch/ecg/samples"),
            "pass 60.000000"),
    ])
    func `Samples are shown in time`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        // Indices begin anew; what was left is shown before.
        Row(
            once,
            three + drawn(3, 0, 20) + line(4, "subscribed", of: "patch/ecg/samples") + drawn(4.5, 20) + frame(5, 0)
                + drawn(5, 0), "pass 60.000000"),
        // Numbers go on: what was lost in between may be counted.
        Row(
            once,
            begun + frame(1, 0) + drawn(1, 0) + line(4, "subscribed", of: "patch/ecg/samples") + frame(5, 500)
                + drawn(5, 500, lost: 490) + frame(6, 510) + drawn(6, 510), "pass 60.000000"),
        Row(once, begun + frame(1, 500) + drawn(1, 500, 20, lost: 490), "fail 1.000000"),
        // The device begins anew without a subscription: which samples are meant is not known any more.
        Row(
            once, begun + frame(1, 100_000) + drawn(1, 100_000) + frame(2, 0) + drawn(2, 0) + drawn(3, 0),
            "pass 60.000000"),
        Row(once, begun + frame(1, 100_000) + frame(2, 0) + drawn(2, 0), "skip 60.000000"),
        // Lines that do not say which samples they show are not judged.
        Row(once, three + said(3, #"{"ecg": {"samples": 90, "lost": 0}}"#), "skip 60.000000"),
        Row(once, three + said(3, #"{"ecg": {"samples": "x", "lost": [], "index": {}}}"#), "skip 60.000000"),
        Row(once, three + said(3, #"{"ecg": {"samples": 1e300, "lost": -1, "index": 1}}"#), "fail 3.000000"),
        Row(once, three + said(3, #"{"ecg": {"samples": 9e18, "lost": 9e18, "index": 1}}"#), "fail 3.000000"),
        Row(once, three, "skip 60.000000"),
        Row(once, begun + drawn(3, 0), "fail 3.000000"),
        Row(once, begun, "inconclusive 60.000000"),
    ])
    func `Subscriptions, and lines that cannot be judged`(_ row: Row) throws { try row.check() }

    @Test(arguments: [
        Row(
            once, begun + polar(1, 100) + drawn(1, until: 100) + polar(2, 200) + drawn(2, until: 200), "pass 60.000000"),
        Row(once, begun + polar(1, 100) + polar(2, 200) + drawn(2, until: 200, 20), "pass 60.000000"),
        Row(once, begun + polar(1, 100) + polar(1, 100) + drawn(2, until: 100, 20), "fail 2.000000"),
        Row(once, begun + polar(1, 100) + drawn(1, until: 100) + drawn(2, until: 100), "fail 2.000000"),
        Row(
            once, begun + polar(1, 100) + drawn(1, until: 100) + polar(2, 200) + polar(3, 300) + drawn(3, until: 300),
            "fail 3.000000"),
        Row(once, begun + polar(1, 100) + drawn(1, until: 50), "fail 1.000000"),
        // Late frames may be dropped, or drawn in their place.
        Row(once, begun + polar(1, 200) + polar(2, 100) + polar(3, 300) + drawn(3, until: 300, 20), "pass 60.000000"),
        Row(once, begun + polar(1, 200) + polar(2, 100) + polar(3, 300) + drawn(3, until: 300, 30), "pass 60.000000"),
        Row(once, begun + polar(1, 200) + drawn(1, until: 200) + polar(2, 100) + drawn(2, until: 100), "fail 2.000000"),
        Row(
            prompt, begun + polar(1, 100) + drawn(1, until: 100) + polar(2, 200) + drawn(5, until: 200), "fail 4.000001"
        ),
    ])
    func `Time stamps`(_ row: Row) throws { try row.check() }

    @Test func `The reasons name the samples`() throws {
        let rows = [
            (three + drawn(3, 0) + drawn(4, 0), "goes back to the sample 0: the one before had shown all up to 9"),
            (
                three + drawn(3, 0) + drawn(4, 20),
                "the samples 10 to 19 are in no line, and 0 of them are counted as lost"
            ),
            (three + drawn(3, 0, 40), "the line shows 40 samples, of which 30 reached the client"),
            (three + drawn(3, 0) + drawn(4, 10, lost: 10), "the line shows 10 samples, but 20 reached the client"),
        ]
        for (log, words) in rows {
            let (_, reason) = try judged(once, log)
            #expect(reason.contains(words), "\(reason)")
        }
        let (_, late) = try judged(prompt, three + drawn(3, 0) + drawn(3.5, 10))
        #expect(late.contains("the frame with the index 20 came at 3.000000 s"), "\(late)")
    }
}
