@_exported public import Basics
@_exported public import Bluetooth
@_exported public import Cryptography
@_exported public import HCI
@_exported public import Simulation
// Virtual controllers and the air that they share, and the modules that their declarations use.
@_exported public import VirtualRadio
