import Basics
import Characteristics
import Devices
import Documents
import GATT
import ScenarioModel

// Values that a real device has sent.
extension CustomReader {
    /// The recording of a characteristic, whose service has characteristics with these ids; nil without one, or after
    /// noting a problem.
    func recording(
        of characteristic: CustomCharacteristic, _ cursor: Cursor, among ids: [String]
    ) -> RecordedValues? {
        guard let file = cursor["recording"] else { return nil }
        if let other = cursor["period"] {
            other.note(.conflict, "the recording has its own times", help: "delete \"period\"")
        }
        guard characteristic.format == .octets else {
            file.note(
                .conflict, "a recording has octets, and the format is \(characteristic.format)",
                help: "write \"format\": \"octets\"")
            return nil
        }
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            file.note(.conflict, "this characteristic has neither notify nor indicate: add one to its properties")
            return nil
        }
        guard let (path, octets) = services.curves.loader.octets(of: file) else { return nil }
        do throws(CSVTable.Failure) {
            return try RecordingTable.values(octets, of: characteristic.name, in: service, among: ids)
        } catch {
            let place = error.line.map { "\(path):\($0): " } ?? "\(path): "
            file.note(.wrongTable, place + error.message)
            return nil
        }
    }
}
