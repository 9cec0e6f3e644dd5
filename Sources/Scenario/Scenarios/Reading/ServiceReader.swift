import Bluetooth
import Documents
import Sensors
import Spelling

/// Makes services of checked trees.
struct ServiceReader {
    let curves: CurveReader

    /// The services of a device that prefers this of a link, and then those that rules add.
    func services(_ cursors: [Cursor], _ link: Link, changedBy rules: [Cursor]) -> [Service] {
        var services: [Service] = []
        var places: [String: Int] = [:]
        var handles = HandleReader(link)
        for cursor in cursors {
            guard let service = service(cursor) else { continue }
            if places.updateValue(services.count, forKey: service.id) != nil {
                (cursor["id"] ?? cursor).note(.duplicateID, "this device has another service \(service.id.quoted)")
            }
            handles.add(service, cursor)
            services.append(service)
        }
        for cursor in rules.flatMap({ $0["add"]?.items ?? [] }) {
            guard var service = service(cursor) else { continue }
            service.isThereFromStart = false
            if let place = places[service.id] {
                guard !services[place].isDefined(as: service) else { continue }
                let text = "this device has another service \(service.id.quoted), which is defined otherwise"
                (cursor["id"] ?? cursor).note(.duplicateID, text)
            } else {
                places[service.id] = services.count
                handles.add(service, cursor)
                services.append(service)
            }
        }
        for cursor in rules.compactMap({ $0["by"] }) { handles.move(cursor) }
        return services
    }

    private func service(_ cursor: Cursor) -> Service? {
        guard !cursor.isLogFull, let kind: Service.Kind = cursor["service"].choice() else { return nil }
        return Service(
            id: cursor["id"]?.string ?? kind.rawValue, kind: kind, content: content(cursor, kind),
            parts: parts(cursor, kind))
    }

    private func content(_ cursor: Cursor, _ kind: Service.Kind) -> Service.Content {
        switch kind {
        case .heartRate: .heartRate(heartRate(cursor))
        case .battery:
            .battery(Battery(value: curve(cursor["value"], 0...100, else: 100), period: period(cursor)))
        case .deviceInformation:
            .deviceInformation(information(cursor))
        case .healthThermometer: .healthThermometer(thermometer(cursor))
        case .fitness: .fitness(fitness(cursor))
        case .ecg: .ecg(electrocardiogram(cursor))
        case .measurements:
            .measurements(
                Measurements(
                    rate: rate(cursor["rate"]) ?? 500, value: curve(cursor["value"], 0...65535, else: 60)))
        case .feed:
            .feed(Feed(value: curve(cursor["value"], 0...4_294_967_295, else: 0), period: period(cursor)))
        case .custom: .custom(CustomReader(services: self).custom(cursor))
        }
    }

    private func information(_ cursor: Cursor) -> DeviceInformation {
        func text(_ key: String) -> String? { cursor[key]?.text(atMost: Cursor.longestValue) }
        return DeviceInformation(
            manufacturer: text("manufacturer"), model: text("model"), serial: text("serial"),
            hardware: text("hardware"), firmware: text("firmware"), software: text("software"))
    }

    private func heartRate(_ cursor: Cursor) -> HeartRate {
        HeartRate(
            value: curve(cursor["value"], 0...65535, else: 60), period: period(cursor),
            format: cursor["format"].choice() ?? .auto,
            contact: cursor["contact"].flatMap { curves.curve($0, in: 0...1) }, energy: energy(cursor["energy"]),
            hasRRIntervals: cursor["rr_intervals"]?.bool ?? false,
            rrPerNotification: cursor["rr_per_notification"]?.integer,
            location: HeartRate.Location.allCases.first { $0.name == cursor["location"]?.string })
    }

    private func energy(_ cursor: Cursor?) -> HeartRate.Energy? {
        guard let cursor, cursor.bool != false else { return nil }
        return cursor.bool == true ? .counted : curves.curve(cursor, in: 0...65535).map(HeartRate.Energy.curve)
    }

    private func thermometer(_ cursor: Cursor) -> HealthThermometer {
        HealthThermometer(
            value: curve(cursor["value"], -273.15...1000, else: 36.6),
            period: within(cursor["period"], .seconds(1) ... .seconds(65535)) ?? .seconds(1),
            hasInterval: cursor["period"] != nil, unit: cursor["unit"].choice() ?? .celsius,
            site: HealthThermometer.Site.allCases.first { $0.name == cursor["type"]?.string },
            isStoring: cursor["store"]?.bool ?? false)
    }

    private func fitness(_ cursor: Cursor) -> Fitness {
        if cursor["steps"] == nil, cursor["temperature"] == nil {
            cursor.note(.missingKey, "\"steps\", \"temperature\" or both are missing: this service has nothing to say")
        }
        return Fitness(
            steps: cursor["steps"].flatMap { curves.curve($0, in: 0...4_294_967_295) },
            temperature: cursor["temperature"].flatMap { curves.curve($0, in: -273.15...327.67) },
            dailyReset: cursor["daily_reset"]?.string.flatMap(Units.timeOfDay) ?? .zero, period: period(cursor))
    }

    private func electrocardiogram(_ cursor: Cursor) -> Electrocardiogram {
        let form: Electrocardiogram.Form = cursor["as"].choice() ?? .ecg
        if form == .pmd, let lead = cursor["lead"] {
            lead.note(.conflict, "Polar Measurement Data has no place for a lead")
        }
        let noise = cursor["noise"]
        return Electrocardiogram(
            form: form, rate: rate(cursor["rate"]) ?? (form == .pmd ? 130 : 500), mains: rate(noise?["mains"]),
            wander: noise?["wander"]?.number, muscle: noise?["muscle"]?.number,
            lead: curve(cursor["lead"], 0...255, else: 1))
    }

    // MARK: Quantities

    private func curve(_ cursor: Cursor?, _ range: ClosedRange<Double>, else value: Double) -> Curve {
        cursor.flatMap { curves.curve($0, in: range) } ?? .constant(value)
    }

    func period(_ cursor: Cursor) -> Duration {
        within(cursor["period"], .milliseconds(1) ... .seconds(86_400)) ?? .seconds(1)
    }

    /// A whole number of times in a second; of what is written as no rate is, its form has been noted.
    private func rate(_ cursor: Cursor?) -> Int? {
        guard let cursor, let text = cursor.string, Forms.rate.accepts(text),
            let hertz = Units.quantity(text, unit: "Hz")
        else { return nil }
        guard let whole = Int(exactly: hertz), (1...4000).contains(whole) else {
            cursor.note(.outOfRange, "expected a whole number from 1 Hz to 4000 Hz, found \(cursor.node.kind)")
            return nil
        }
        return whole
    }

    // MARK: Parts

    private func parts(_ cursor: Cursor, _ kind: Service.Kind) -> [Part] {
        if kind == .custom { return customParts(cursor) }
        if kind == .ecg, cursor["as"]?.string == Electrocardiogram.Form.pmd.rawValue { return Tables.pmdParts }
        let switches = ["energy", "rr_intervals"]
        return Tables.parts(of: kind).filter { row in
            guard let key = row.key else { return true }
            return cursor[key].map { !switches.contains(key) || $0.bool != false } ?? false
        }.map(\.part)
    }

    private func customParts(_ cursor: Cursor) -> [Part] {
        var parts: [Part] = []
        var taken: Set<String> = []
        for item in cursor["characteristics"]?.items ?? [] {
            let name = item["id"]?.string ?? (item["uuid"]?.string ?? "").lowercased()
            if !taken.insert(name).inserted {
                (item["id"] ?? item).note(.duplicateID, "this service has another characteristic \(name.quoted)")
            }
            let properties = CustomReader.properties(item).map(\.properties)
            parts.append(Part(name: name, role: .named, properties: Part.Properties(properties)))
        }
        return parts
    }
}
