/// The users of a world's controllers.
struct ControllerUsers: Sendable {
    /// The user of a controller.
    enum User: Hashable, Sendable {
        case node(Int)
        case guest
        case nobody
    }

    /// By controller.
    private(set) var all: [User] = []
    /// How many users have come.
    private(set) var arrivals = 0
    /// Follow the octets that controllers deliver to their hosts, by controller.
    var deliveries: [DeliveryObserver] = []

    subscript(controller: Int) -> User {
        get { all[controller] }
        set { all[controller] = newValue }
    }

    /// Whether an external host uses a controller.
    func isGuest(_ controller: Int) -> Bool { all.indices.contains(controller) && all[controller] == .guest }

    /// Adds the user of a new controller, or of one that nobody uses any more.
    mutating func add(_ user: User, of controller: Int) {
        arrivals += 1
        if controller == all.count {
            all.append(user)
            deliveries.append(DeliveryObserver())
        } else {
            all[controller] = user
        }
    }
}

/// What the script and the users do to all clients of a world.
struct ClientConditions: Sendable {
    /// The lasting actions of the script.
    var lasting = Conditions()
    /// The passkey that an external client displays.
    var passkey: UInt32?
}
