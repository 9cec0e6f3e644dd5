import Basics
import GATT
import LubdubBasics
import LubdubGATT

let own = GATT.AttributeTable()
let lubdubs = LubdubGATT.AttributeTable()
let length = type(of: lubdubs).maximumValueLength
print("\(origin): \(own.count) attributes here, values of \(length) octets there, at \(LubdubBasics.Instant.start)")
