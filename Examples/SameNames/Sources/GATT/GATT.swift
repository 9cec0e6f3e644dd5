/// A type of this package, named as one of Lubdub's `GATT`.
public struct AttributeTable {
    public let count = 0

    public init() {}
}
