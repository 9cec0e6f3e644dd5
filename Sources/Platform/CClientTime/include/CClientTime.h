#ifndef C_CLIENT_TIME_H
#define C_CLIENT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The coordinator of virtual time for other processes, in which liblubdubtime.so replaces clocks and waits.
//
// It finds out in /proc that all of them sleep, sets their clock, and wakes them, one thread at a time.  An instant
// is in nanoseconds; the first one is 1, and INT64_MAX is never.  A function that gets a `client_time` is not for
// several threads.

struct client_time;

// Makes the file that the processes share, at a path that is free; NULL, with errno, on failure.  `realtime` is what
// the wall clock shows at first, in nanoseconds since 1970.
struct client_time *client_time_open(const char *path, uint64_t seed, int64_t realtime);

// Removes the file.
void client_time_close(struct client_time *);

// Follows the processes below a supervisor and its children, which are in real time.
void client_time_follow(struct client_time *, int32_t supervisor);

enum client_time_state { CLIENT_TIME_RUNS, CLIENT_TIME_SLEEPS, CLIENT_TIME_COMPUTES };

// Waits until all processes sleep, at most for a time.  Computes: so long that time has to follow the machine's.
enum client_time_state client_time_wait(struct client_time *, int milliseconds);

// The earliest deadline of a process.
int64_t client_time_next(struct client_time *);

// Sets the clock; it cannot go back.
void client_time_set(struct client_time *, int64_t now);

// Wakes the first thread whose deadline has come; false if there is none.
bool client_time_wake(struct client_time *);

// From now on, turns take time, from the wake of a thread until all sleep again: counts those that have begun.  A
// thread that wakes earlier than `client_time_be_busy` says waits until then.
void client_time_charge_turns(struct client_time *);
uint64_t client_time_turns(const struct client_time *);
void client_time_be_busy(struct client_time *, int64_t until);

// Which process cannot follow, and why; false if all can.
bool client_time_stranger(struct client_time *, char *text, size_t size);

// Which process has connected to somebody who does not follow; false if none has.
bool client_time_neighbour(struct client_time *, char *text, size_t size);

// From now on, time passes soon although a process is stopped or computes.
void client_time_hurry(struct client_time *);

struct client_time_counts {
    uint64_t looks, sleeps, scans, wakes;
    // How often time has followed the machine's, and how often a read of a clock in a busy wait was a sleep.
    uint64_t creeps, spins;
};

struct client_time_counts client_time_counts(const struct client_time *);

// Why /proc does not tell that processes sleep; NULL if it does.
const char *client_time_obstacle(void);

// Lets the programs that this process starts have the same addresses each time; false if that is forbidden.
bool client_time_fix_addresses(void);

// For tests: pauses between the looks at two threads, in which much can happen.  `looks_once`: one round is enough,
// which is wrong.
void client_time_look_slowly(struct client_time *, int microseconds, bool looks_once);

#endif
