#ifndef C_VIRTUAL_TIME_H
#define C_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

// Virtual time for a test and for all work on queues of libdispatch that it causes, and thus for Swift tasks.
//
// The functions of this module replace functions of libdispatch and libc for the whole process: the linker prefers those of
// the executable.  They only pass on their arguments, except from `virtual_time_begin` to `virtual_time_end` on a thread
// that is in virtual time: between `virtual_time_enter` and `virtual_time_leave`, or while it runs work that such a thread
// has submitted.  There,
//
// * work that is submitted to a queue is counted until it has ended, except while it waits for a semaphore or a group;
// * clocks show virtual time, and timers (dispatch_after, Task.sleep, timer sources, Foundation's Timer) wait for
//   `virtual_time_fire`.

// Begins virtual time; elapsed time is 0.  The wall clock begins at this number of seconds since 1970.  `fire` calls the block of
// a Foundation.Timer; it is called on the main queue.
void virtual_time_begin(int64_t wall, void (*fire)(void *timer));

// Ends virtual time; work that has waited for a timer is submitted, and timer sources stop.
void virtual_time_end(void);

// Puts this thread into virtual time, and out of it again.
void virtual_time_enter(void);
void virtual_time_leave(void);

// Puts the next work that this thread submits into virtual time.
void virtual_time_adopt(void);

// Whether this thread is in virtual time.
bool virtual_time_follows(void);

// Sets the elapsed time, in nanoseconds.
void virtual_time_set(int64_t elapsed);

// Waits until no submitted work is left, or virtual time ends, and returns the number of works that have ended since the beginning.
uint64_t virtual_time_wait(void);

// From here to `virtual_time_release`, a thread lets time pass for the test.
void virtual_time_hold(void);
void virtual_time_release(void);

// Waits until no submitted work is left although no thread lets time pass: the test waits for something else.  Returns the
// number of works that have ended, which must not be `seen`; 0 when virtual time has ended.
uint64_t virtual_time_wait_for_sleep(uint64_t seen);

// When the first timer fires, in nanoseconds since the beginning, and not in the past; INT64_MAX without timers.
int64_t virtual_time_next(void);

// Submits the first timer if it is due; false if none is.
bool virtual_time_fire(void);

// The number of Foundation's timers that are valid and have been added.
uint64_t virtual_time_timers(void);

#endif
