extension World {
    /// The warning about a rule of `runaways`.
    package func runawayWarning(for rule: Int) -> String {
        "\(name(of: rule)) of the script triggers itself endlessly at one instant, and was cut off: add a delay"
    }
}
