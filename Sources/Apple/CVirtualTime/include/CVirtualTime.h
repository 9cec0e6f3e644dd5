#ifndef C_VIRTUAL_TIME_H
#define C_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

// Virtual time for the code of this process that runs on queues of libdispatch, and thus for Swift tasks.
//
// The functions of this module replace functions of libdispatch and libc for the whole process: the linker prefers those of
// the executable.  Until `virtual_time_begin` they only pass on their arguments.  From then on, and until
// `virtual_time_end`:
//
// * work that is submitted to a queue is counted until it has ended;
// * in that work, clocks show virtual time, and timers (dispatch_after, Task.sleep) wait for `virtual_time_fire`;
// * other threads see the real time.

// Begins virtual time; elapsed time is 0.  The wall clock begins at this number of seconds since 1970.
void virtual_time_begin(int64_t wall);

// Ends virtual time; timers that have not fired are submitted.
void virtual_time_end(void);

// Sets the elapsed time, in nanoseconds.
void virtual_time_set(int64_t elapsed);

// Waits until no submitted work is left, and returns the number of works that have ended since the beginning.
uint64_t virtual_time_wait(void);

// When the first timer fires, in nanoseconds since the beginning; INT64_MAX without timers.
int64_t virtual_time_next(void);

// Submits the first timer if it is due; false if none is.
bool virtual_time_fire(void);

#endif
