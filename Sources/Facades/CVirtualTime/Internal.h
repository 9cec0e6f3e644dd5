#ifndef VIRTUAL_TIME_INTERNAL_H
#define VIRTUAL_TIME_INTERNAL_H

// What the files of this module share.  `virtual_time_mutex` protects their lists and counts, and is locked where a function
// changes them, unless its comment differs.

#define _GNU_SOURCE

#include "CVirtualTime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

typedef void (*Function)(void *);

// The layout that the blocks' ABI defines.
typedef struct {
    void *isa;
    int flags, reserved;
    Function invoke;
} Block;

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);

// Calls a block that was copied, and releases it.
void virtual_time_call_block(void *block);

// The function that this module replaces.
#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

// A timer in the list of those that wait.
typedef struct Timer {
    int64_t due;
    // Called once when the timer has left the list: because it is due, or because virtual time ends.
    void (*leave)(struct Timer *, bool is_due);
    struct Timer *next;
} Timer;

// The time of a timer that never fires.
static const int64_t never = INT64_MAX;

extern pthread_mutex_t virtual_time_mutex;
extern atomic_llong virtual_time_elapsed;

// Whether virtual time has begun and not ended.
bool virtual_time_runs(void);

// The time from now until a dispatch_time_t, as this thread sees it; `never` for DISPATCH_TIME_FOREVER.
int64_t virtual_time_until(uint64_t when);

// The dispatch_time_t that is this far away in real time.
uint64_t virtual_time_real(int64_t delay);

// Adds a timer to those that wait, after those with the same due; removes it, if it is there.
void virtual_time_add(Timer *timer);
void virtual_time_remove(Timer *timer);

// Stops the timers of all sources.
void virtual_time_stop_sources(void);

// Forgets Foundation's timers, which have left the list; the mutex is not locked.
void virtual_time_stop_timers(void);

// The elapsed time in seconds at a date, in seconds since 2001.
double virtual_time_at(double date);

// Lets the owner fire a timer of Foundation.
void virtual_time_call_timer(void *timer);

// Submits work, and counts it.
void virtual_time_submit(void *queue, void *context, Function function);

// Counts work, for which time waits; ends such work; takes back a count of work that does not happen.
void virtual_time_count(void);
void virtual_time_uncount(void);
void virtual_time_end_work(void);

#endif
