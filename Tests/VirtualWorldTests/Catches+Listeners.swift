extension Catches {
    /// Those of clients that listen wrongly to what is advertised.
    static let listeners: [(client: String, by: [String])] = [
        (
            "hears_once",
            ["advertising/heart_rate shows", "advertising/heart_rate no_heart_rate", "advertising/thermometer shows"]
        ),
        ("next_octet", ["advertising/heart_rate shows"]),
        ("one_more_heard", ["advertising/heart_rate shows", "advertising/heart_rate no_other"]),
        ("hears_no_service_data", ["advertising/thermometer shows", "advertising/thermometer battery"]),
    ]
}
