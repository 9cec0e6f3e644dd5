#define _GNU_SOURCE
#include "CVirtualTime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

typedef void (*Function)(void *);

// Work for a queue, or a timer that submits it.
typedef struct Work {
    Function function;
    void *context;
    void *queue;
    int64_t due;
    struct Work *next;
} Work;

static const int64_t second = 1000000000;

static atomic_bool is_virtual;
static atomic_llong elapsed;
// The real times at the beginning, in nanoseconds; the wall clock begins elsewhere.
static int64_t monotonic_base, wall_base;
// How many counted works and calls of `virtual_time_enter` are on this thread.
static _Thread_local int depth;
// Whether this thread's next work is in virtual time.
static _Thread_local bool adopts;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t outstanding, ended, holders;
static Work *timers;  // by due, then by insertion

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);

// The layout that the blocks' ABI defines.
typedef struct {
    void *isa;
    int flags, reserved;
    Function invoke;
} Block;

// The function that this module replaces.
#define REAL(name) ((__typeof__(&name)) real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

bool virtual_time_follows(void) { return depth > 0 && is_virtual; }

// MARK: Replaced functions

void dispatch_async_f(void *queue, void *context, Function function);
void dispatch_barrier_async_f(void *queue, void *context, Function function);
void dispatch_group_enter(void *group);
void dispatch_group_leave(void *group);
void dispatch_retain(void *object);
void dispatch_release(void *object);
void dispatch_after_f(uint64_t when, void *queue, void *context, Function function);
void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway);

static void run(void *pointer) {
    Work work = *(Work *)pointer;
    free(pointer);
    depth++;
    work.function(work.context);
    depth--;
    pthread_mutex_lock(&mutex);
    ended++;
    if (--outstanding == 0) pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void run_block(void *block) {
    ((Block *)block)->invoke(block);
    _Block_release(block);
}

static Work *work_of(void *queue, void *context, Function function) {
    Work *work = calloc(1, sizeof *work);
    if (!work) abort();
    work->function = function, work->context = context, work->queue = queue;
    return work;
}

// Counts work that is about to be submitted.
static Work *counted(Work *work) {
    pthread_mutex_lock(&mutex);
    outstanding++;
    pthread_mutex_unlock(&mutex);
    return work;
}

void dispatch_async_f(void *queue, void *context, Function function) {
    static _Atomic(__typeof__(&dispatch_async_f)) original;
    if (!original) original = REAL(dispatch_async_f);
    bool is_adopted = adopts;
    adopts = false;
    if (!virtual_time_follows() && !is_adopted) return original(queue, context, function);
    original(queue, counted(work_of(queue, context, function)), run);
}

void dispatch_async(void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_async)) original;
    if (!original) original = REAL(dispatch_async);
    if (!virtual_time_follows()) return original(queue, block);
    dispatch_async_f(queue, _Block_copy(block), run_block);
}

void dispatch_barrier_async(void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_barrier_async)) original;
    if (!original) original = REAL(dispatch_barrier_async);
    if (!virtual_time_follows()) return original(queue, block);
    dispatch_barrier_async_f(queue, counted(work_of(queue, _Block_copy(block), run_block)), run);
}

// Work of a group, which leaves the group when it has ended.
typedef struct {
    void *group, *block;
} Member;

static void run_member(void *pointer) {
    Member member = *(Member *)pointer;
    free(pointer);
    run_block(member.block);
    dispatch_group_leave(member.group);
    dispatch_release(member.group);
}

void dispatch_group_async(void *group, void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_group_async)) original;
    if (!original) original = REAL(dispatch_group_async);
    if (!virtual_time_follows()) return original(group, queue, block);
    Member *member = malloc(sizeof *member);
    if (!member) abort();
    member->group = group, member->block = _Block_copy(block);
    dispatch_retain(group);
    dispatch_group_enter(group);
    dispatch_async_f(queue, member, run_member);
}

// MARK: Clocks

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static _Atomic(__typeof__(&clock_gettime)) original;
    if (!original) original = REAL(clock_gettime);
    int64_t base;
    switch (virtual_time_follows() ? clock : -1) {
        case CLOCK_MONOTONIC:
        case CLOCK_BOOTTIME:
        case CLOCK_MONOTONIC_RAW:
        case CLOCK_MONOTONIC_COARSE: base = monotonic_base; break;
        case CLOCK_REALTIME:
        case CLOCK_REALTIME_COARSE: base = wall_base; break;
        default: return original(clock, time);
    }
    int64_t now = base + elapsed;
    time->tv_sec = now / second, time->tv_nsec = now % second;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec, time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// MARK: Timers

// The time from now until a dispatch_time_t, as this thread sees it.
static int64_t delay_until(uint64_t when) {
    if (when == 0) return 0;
    int64_t delay;
    if (when >> 62 == 3) {  // the wall clock, negated; 1: from now
        delay = (int64_t)-when - read_clock(CLOCK_REALTIME);
    } else if (when >> 63) {
        delay = (int64_t)(when & ~(1ULL << 63)) - read_clock(CLOCK_BOOTTIME);
    } else {
        delay = (int64_t)when - read_clock(CLOCK_MONOTONIC);
    }
    return delay < 0 ? 0 : delay;
}

void dispatch_after_f(uint64_t when, void *queue, void *context, Function function) {
    static _Atomic(__typeof__(&dispatch_after_f)) original;
    if (!original) original = REAL(dispatch_after_f);
    if (!virtual_time_follows() || when == UINT64_MAX) return original(when, queue, context, function);
    Work *work = work_of(queue, context, function);
    work->due = elapsed + delay_until(when);
    dispatch_retain(queue);
    pthread_mutex_lock(&mutex);
    Work **place = &timers;
    while (*place && (*place)->due <= work->due) place = &(*place)->next;
    work->next = *place;
    *place = work;
    pthread_mutex_unlock(&mutex);
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_after)) original;
    if (!original) original = REAL(dispatch_after);
    if (!virtual_time_follows() || when == UINT64_MAX) return original(when, queue, block);
    dispatch_after_f(when, queue, _Block_copy(block), run_block);
}

// Timer sources follow real time: only the start is translated, since the caller sees virtual time.
void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    static _Atomic(__typeof__(&dispatch_source_set_timer)) original;
    if (!original) original = REAL(dispatch_source_set_timer);
    if (virtual_time_follows() && start != 0 && start != UINT64_MAX) {
        int64_t delay = delay_until(start);
        int visible = depth;
        depth = 0;
        start = read_clock(CLOCK_MONOTONIC) + delay;
        depth = visible;
    }
    original(source, start, interval, leeway);
}

// MARK: The clock's owner

void virtual_time_begin(int64_t wall) {
    monotonic_base = read_clock(CLOCK_MONOTONIC);
    wall_base = wall * second;
    elapsed = 0;
    is_virtual = true;
}

void virtual_time_end(void) {
    pthread_mutex_lock(&mutex);
    is_virtual = false;
    pthread_cond_broadcast(&changed);
    Work *work = timers;
    timers = NULL;
    pthread_mutex_unlock(&mutex);
    while (work) {
        Work *next = work->next;
        dispatch_async_f(work->queue, work->context, work->function);
        dispatch_release(work->queue);
        free(work);
        work = next;
    }
}

void virtual_time_enter(void) { depth++; }

void virtual_time_leave(void) { depth--; }

void virtual_time_adopt(void) { adopts = true; }

void virtual_time_set(int64_t nanoseconds) { elapsed = nanoseconds; }

uint64_t virtual_time_wait(void) {
    pthread_mutex_lock(&mutex);
    while (outstanding > 0 && is_virtual) pthread_cond_wait(&changed, &mutex);
    uint64_t result = ended;
    pthread_mutex_unlock(&mutex);
    return result;
}

void virtual_time_hold(void) {
    pthread_mutex_lock(&mutex);
    holders++;
    pthread_mutex_unlock(&mutex);
}

void virtual_time_release(void) {
    pthread_mutex_lock(&mutex);
    holders--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

uint64_t virtual_time_wait_for_sleep(uint64_t seen) {
    pthread_mutex_lock(&mutex);
    while (is_virtual && (outstanding > 0 || holders > 0 || ended == seen)) pthread_cond_wait(&changed, &mutex);
    uint64_t result = is_virtual ? ended : 0;
    pthread_mutex_unlock(&mutex);
    return result;
}

int64_t virtual_time_next(void) {
    pthread_mutex_lock(&mutex);
    int64_t due = timers ? timers->due : INT64_MAX;
    pthread_mutex_unlock(&mutex);
    return due;
}

bool virtual_time_fire(void) {
    pthread_mutex_lock(&mutex);
    Work *work = timers && timers->due <= elapsed ? timers : NULL;
    if (work) timers = work->next;
    pthread_mutex_unlock(&mutex);
    if (!work) return false;
    depth++;
    dispatch_async_f(work->queue, work->context, work->function);
    depth--;
    dispatch_release(work->queue);
    free(work);
    return true;
}
