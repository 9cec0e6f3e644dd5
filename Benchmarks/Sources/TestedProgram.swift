import CommandSupport

/// The program that rows start: the variable LUBDUB names it.
let program = {
    let named = environmentVariable("LUBDUB")
    return named.isEmpty ? ".build/release/lubdub" : named
}()
