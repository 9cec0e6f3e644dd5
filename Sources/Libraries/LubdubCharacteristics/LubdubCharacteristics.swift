// The values of characteristics, and the modules that their declarations use.
@_exported public import Bluetooth
@_exported public import Characteristics
@_exported public import Octets
@_exported public import TextFormatting
