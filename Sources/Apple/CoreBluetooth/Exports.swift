// As with Apple's framework, a file that imports CoreBluetooth has the names of Foundation and Dispatch.
@_exported public import Dispatch
@_exported public import Foundation
