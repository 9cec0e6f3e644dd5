@_exported public import Basics
// The values of characteristics, and the modules that their declarations use.
@_exported public import Bluetooth
@_exported public import Characteristics
