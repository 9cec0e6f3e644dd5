/// A kind of likely cause of a failure.
package enum CauseKind: String, CaseIterable, Sendable {
    // On the way to the device.
    case neverSearched = "never_searched"
    case stoppedScanning = "stopped_scanning"
    case neverConnected = "never_connected"
    case otherAddress = "other_address"
    case otherAddressType = "other_address_type"
    case slowLoss = "slow_loss"
    case notConnected = "not_connected"
    case clientDisconnected = "client_disconnected"
    // In a connection.
    case noDiscovery = "no_discovery"
    case noSubscription = "no_subscription"
    case notSubscribedAgain = "not_subscribed_again"
    case notSubscribedAfterChange = "not_subscribed_after_change"
    case noRequest = "no_request"
    case refused
    case unconfirmed
    case nothingArrived = "nothing_arrived"
    case oldHandle = "old_handle"
    // Pairing.
    case notPairedAfterRefusal = "not_paired_after_refusal"
    case neverPaired = "never_paired"
    case pairingFailed = "pairing_failed"
    case pairedAgain = "paired_again"
    case wrongPairing = "wrong_pairing"
    // The client as a program.
    case clientEnded = "client_ended"
    case foreignLine = "foreign_line"
    case missingBus = "missing_bus"
    case idleProgram = "idle_program"
    // What the client prints, and when.
    case nothingPrinted = "nothing_printed"
    case stoppedPrinting = "stopped_printing"
    case valueIgnored = "value_ignored"
    case fieldLeftOut = "field_left_out"
    case shownLate = "shown_late"
    case linesAndValues = "lines_and_values"
    case duplicated = "duplicated"
    case notCleared = "not_cleared"
    case shownAgain = "shown_again"
    case shownUnreadable = "shown_unreadable"
    case corrected
    case noValueYet = "no_value_yet"
    case errorNotShown = "error_not_shown"
    case contradictsLine = "contradicts_line"
    case advertisedNotShown = "advertised_not_shown"
    case wrongOrder = "wrong_order"
    // Samples of streams.
    case samplesTwice = "samples_twice"
    case samplesLeftOut = "samples_left_out"
    case falseLosses = "false_losses"
    case samplesLate = "samples_late"
    // Wrong values.
    case swappedOctets = "swapped_octets"
    case lowOctet = "low_octet"
    case twoOctets = "two_octets"
    case signedOctet = "signed_octet"
    case unsignedNumber = "unsigned_number"
    case ieee754 = "ieee_754"
    case powerOfTen = "power_of_ten"
    case fahrenheit
    case rrUnit = "rr_unit"
    case energyAsInterval = "energy_as_interval"
    case oddOctet = "odd_octet"
    case firstOfSeveral = "first_of_several"
    case contactBits = "contact_bits"
    case flag
    case misplaced
    case strides
    case specialValue = "special_value"
    case zeroForMissing = "zero_for_missing"
    case earlierValue = "earlier_value"
    case otherDevice = "other_device"
    case otherChoice = "other_choice"
    case offset
    case factor
}

extension CauseKind {
    /// What it means, as a sentence about the client.
    package var about: String {
        switch self {
        case .neverSearched: "The client neither scans nor connects."
        case .stoppedScanning: "The client has ended its scan before the device advertised."
        case .neverConnected: "The client receives the device's advertising, and does not connect: look at its filters."
        case .otherAddress: "The client connects to addresses that the device does not have (any more)."
        case .otherAddressType: "The client takes a public address for a random one, or the reverse."
        case .slowLoss: "The link's supervision timeout had not passed yet."
        case .notConnected: "The client had no connection when the values came."
        case .clientDisconnected: "The client ended the connection itself."
        case .noDiscovery: "The client is connected, and does not discover attributes."
        case .noSubscription: "The client has neither subscribed to the value nor read it."
        case .notSubscribedAgain: "The client has connected again, without a new subscription."
        case .notSubscribedAfterChange: "The attributes changed, and the client has not subscribed again."
        case .noRequest: "The client is connected, and does not make the request that is expected."
        case .refused: "The device refused a request, and the client has not succeeded since."
        case .nothingArrived:
            "The client has subscribed, and the device sends nothing: look at what it was asked before."
        case .unconfirmed: "The client has not confirmed an indication, so that the device sends no more."
        case .oldHandle: "The client uses handles from before a change of the attributes."
        case .notPairedAfterRefusal:
            "The device refused a request until the link is encrypted, and the client does not pair."
        case .neverPaired: "The client is connected, and does not pair."
        case .pairingFailed: "Pairing or encryption failed, and the client has not paired since."
        case .pairedAgain: "The client pairs again with a device with which it has paired."
        case .wrongPairing: "The client completes a pairing in which the device's part is wrong."
        case .clientEnded: "The client's program ended early."
        case .foreignLine: "The client prints something else than the lines that Lubdub reads."
        case .missingBus: "The client needs a message bus that it does not have."
        case .idleProgram: "After the Bluetooth service or the adapter was away, the program does nothing more."
        case .nothingPrinted: "Values arrived, and the client has never printed a line about them."
        case .stoppedPrinting: "Values arrive, and the client prints no lines any more."
        case .valueIgnored: "The value arrived, and the client printed no line for it."
        case .fieldLeftOut: "The client prints the value without one of its fields."
        case .shownLate: "The client prints the right line too late."
        case .linesAndValues: "The client prints more or fewer lines than values arrive."
        case .duplicated: "The client prints equal lines at once: it has subscribed or listens twice."
        case .notCleared: "The client goes on to show the last value."
        case .shownAgain: "The client prints a value again that it had printed."
        case .shownUnreadable: "The client makes a value of octets that are none."
        case .corrected: "The client prints a wrong value, and another one at once after it."
        case .noValueYet: "The client shows a value before one has arrived."
        case .errorNotShown: "Something went wrong on the link, and the client prints nothing about it."
        case .contradictsLine: "The client prints a number that does not follow from those that it printed before."
        case .advertisedNotShown:
            "The device advertises values, and the client does not show them: look at its filters, at duplicates that its controller filters, and at which data it reads."
        case .wrongOrder: "The client does a step before another that should come first."
        case .samplesTwice: "The client draws samples of a stream twice, or in another order."
        case .samplesLeftOut: "The client draws not all samples, and does not count those as lost."
        case .falseLosses: "The client counts samples as lost that have arrived."
        case .samplesLate: "The client draws samples later and later, or no more."
        case .swappedOctets: "The value has its octets in the wrong order: Bluetooth sends the least significant first."
        case .lowOctet: "Only the first of two octets was read."
        case .twoOctets: "Two octets were read where one was sent."
        case .signedOctet: "A number without sign was read as one with sign."
        case .unsignedNumber: "A number with sign was read as one without."
        case .ieee754: "The FLOAT of IEEE 11073 was read as one of IEEE 754."
        case .powerOfTen: "The exponent or the resolution of a number is not applied."
        case .fahrenheit: "Degrees Fahrenheit are shown as Celsius."
        case .rrUnit: "RR-Intervals, which are in 1/1024 s, are shown as if they were in ms."
        case .energyAsInterval: "Energy Expended was read as an RR-Interval."
        case .oddOctet: "A single octet at the end was read as an RR-Interval."
        case .firstOfSeveral: "Only the first of several values was read."
        case .contactBits: "Bits 1 and 2 of the flags are two bits: supported, and detected."
        case .flag: "Another bit of the flags was read, or none."
        case .misplaced: "The octets of a value were read one place too early or too late."
        case .strides: "Strides per minute are shown as steps per minute, or the reverse."
        case .specialValue: "A special value, such as NaN, is shown as a number."
        case .zeroForMissing: "A value that is missing is shown as 0."
        case .earlierValue: "The client shows a value that another has replaced."
        case .otherDevice: "The client shows the value of another device."
        case .otherChoice: "The client has chosen another device: look at the names, services and strengths of both."
        case .offset: "Each value is wrong by the same difference."
        case .factor: "Each value is wrong by the same factor."
        }
    }
}

/// A likely cause of a failure, and what shows it.
package struct Cause: Hashable, Sendable {
    package let kind: CauseKind
    package let words: String
    package var facts: [Fact]

    package init(_ kind: CauseKind, _ words: String, facts: [Fact] = []) {
        (self.kind, self.words, self.facts) = (kind, words, facts)
    }
}
