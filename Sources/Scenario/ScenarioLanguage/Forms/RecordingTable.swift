import Basics
import Devices
import Documents
import ScenarioModel

/// Reads the CSV files of recordings: columns `seconds`, `characteristic` and `octets`, and others for people.
///
/// `0.998210,heart_rate/2a37,10 48`: a value of a characteristic, and the time since the client subscribed to it.
enum RecordingTable {
    /// The values of the characteristic `service/characteristic`; none if the table does not have it.
    ///
    /// `others` are the ids of all characteristics of the service; a row with another one is an error.
    static func values(
        _ octets: [UInt8], of characteristic: String, in service: String, among others: [String]
    ) throws(CSVTable.Failure) -> RecordedValues {
        var table = try CSVTable(octets)
        let (time, place) = (try table.column("seconds"), try table.column("characteristic"))
        let value = try table.column("octets")
        let wanted = Array("\(service)/\(characteristic)".utf8)[...]
        let prefix = Array("\(service)/".utf8)
        let known = Set(others.map { Array("\(service)/\($0)".utf8)[...] })
        var entries: [RecordedValues.Entry] = []
        while let line = table.next() {
            let count = table.names.count
            let cells = line.split(separator: CSVTable.comma, maxSplits: count, omittingEmptySubsequences: false)
            guard cells.count == count else { throw table.failure("expected \(count.counted("column"))") }
            let own = CSVTable.trimmed(cells[place])
            guard own == wanted else {
                if own.starts(with: prefix), !known.contains(own) {
                    let name = String(decoding: own.dropFirst(prefix.count), as: UTF8.self)
                    throw table.failure(
                        "the service \(service.quoted) has no characteristic \(name.quoted)"
                            + suggestion(for: name, among: others))
                }
                continue
            }
            guard let seconds = CSVTable.number(CSVTable.trimmed(cells[time])), (0...1e9).contains(seconds) else {
                throw table.failure("expected a time of 0 s or later")
            }
            guard let octets = Value.octets(of: String(decoding: CSVTable.trimmed(cells[value]), as: UTF8.self)),
                octets.count <= 512
            else {
                throw table.failure("expected at most 512 octets such as \"10 48\"")
            }
            let instant = Duration.nanoseconds(Int64((seconds * 1e9).rounded()))
            if let last = entries.last, last.time >= instant {
                throw table.failure("the times of a characteristic must rise from line to line")
            }
            entries.append(RecordedValues.Entry(at: instant, octets))
        }
        return RecordedValues(entries)
    }
}
