/// The version that `--version` prints, and that event logs and reports contain.
package let version = "0.1.0"
