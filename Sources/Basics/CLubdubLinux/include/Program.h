#pragma once

/// The arguments of `main`, the name of the program first; null at the end.
///
/// Swift's CommandLine reads them from /proc/self/cmdline, and has none where /proc is not mounted.
extern char **mainArguments(void);

/// The path with which the kernel was asked to start the program: getauxval(3).
extern const char *startedPath(void);
