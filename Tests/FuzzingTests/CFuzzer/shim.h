#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer, which has no header: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*read)(const uint8_t *octets, size_t count));
