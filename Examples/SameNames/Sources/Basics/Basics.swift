/// A declaration of this package.
public let origin = "SameNames"
