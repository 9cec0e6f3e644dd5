extension World {
    /// Why a rule of `runaways` was cut off, for people.
    public func runawayWarning(for rule: Int) -> String {
        "\(name(of: rule)) of the script triggers itself endlessly at one instant, and was cut off: add a delay"
    }
}
