// The Swift module `os` has the names.
