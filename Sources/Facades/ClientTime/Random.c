#include "Internal.h"

#include <sys/random.h>

// Random numbers from the seed: a stream for each thread, derived by the thread that makes it, so that no race
// changes it.

PER_THREAD uint64_t random_state;
static PER_THREAD uint64_t children;

static const uint64_t step = 0x9e3779b97f4a7c15u;

// The output function of splitmix64, by Sebastiano Vigna.
uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t next_stream(void) { return mix(mix(random_state) + step * ++children); }

void skip_stream(void) { children++; }

void restart_stream(uint64_t stream) {
    random_state = stream;
    children = 0;
}

REPLACED ssize_t getrandom(void *octets, size_t size, unsigned flags) {
    if (!is_virtual()) return SYSTEM4(SYS_getrandom, octets, size, flags, 0);
    for (size_t i = 0; i < size; i++) ((uint8_t *)octets)[i] = (uint8_t)mix(random_state += step);
    return (ssize_t)size;
}

REPLACED int getentropy(void *octets, size_t size) {
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    return getrandom(octets, size, 0) == (ssize_t)size ? 0 : -1;
}

REPLACED uint32_t arc4random(void) {
    uint32_t number;
    getrandom(&number, sizeof number, 0);
    return number;
}

REPLACED uint32_t arc4random_uniform(uint32_t limit) {
    if (limit < 2) return 0;
    uint32_t number, least = -limit % limit;
    do number = arc4random();
    while (number < least);
    return number % limit;
}

REPLACED void arc4random_buf(void *octets, size_t size) { getrandom(octets, size, 0); }
