#include "Internal.h"

#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

// Work for a queue, perhaps when a timer is due.
typedef struct {
    Timer timer;
    Function function;
    void *context;
    void *queue;
} Work;

static const int64_t second = 1000000000;

pthread_mutex_t virtual_time_mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_llong virtual_time_elapsed;

static atomic_bool is_virtual;
// The real times at the beginning, in nanoseconds; the wall clock begins elsewhere.
static int64_t monotonic_base, wall_base;
// How many counted works and calls of `virtual_time_enter` are on this thread.
static _Thread_local int depth;
// Whether this thread's next work is in virtual time.
static _Thread_local bool adopts;

static _Atomic(Function) fire_timer;

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t outstanding, ended, holders;
static Timer *timers;  // by due, then by insertion

bool virtual_time_follows(void) { return depth > 0 && is_virtual; }

bool virtual_time_runs(void) { return is_virtual; }

// MARK: Counting

void virtual_time_count(void) { outstanding++; }

void virtual_time_uncount(void) {
    if (--outstanding == 0) pthread_cond_broadcast(&changed);
}

void virtual_time_end_work(void) {
    ended++;
    virtual_time_uncount();
}

// MARK: Replaced functions

void dispatch_async_f(void *queue, void *context, Function function);
void dispatch_barrier_async_f(void *queue, void *context, Function function);
void dispatch_retain(void *object);
void dispatch_release(void *object);
void dispatch_after_f(uint64_t when, void *queue, void *context, Function function);

static void run(void *pointer) {
    Work work = *(Work *)pointer;
    free(pointer);
    depth++;
    work.function(work.context);
    depth--;
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_end_work();
    pthread_mutex_unlock(&virtual_time_mutex);
}

void virtual_time_call_block(void *block) {
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
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_count();
    pthread_mutex_unlock(&virtual_time_mutex);
    return work;
}

// Submits work as it is.
static void submit(void *queue, void *context, Function function) {
    static _Atomic(__typeof__(&dispatch_async_f)) original;
    if (!original) original = REAL(dispatch_async_f);
    original(queue, context, function);
}

void virtual_time_submit(void *queue, void *context, Function function) {
    virtual_time_count();
    submit(queue, work_of(queue, context, function), run);
}

void dispatch_async_f(void *queue, void *context, Function function) {
    bool is_adopted = adopts;
    adopts = false;
    if (!virtual_time_follows() && !is_adopted) return submit(queue, context, function);
    submit(queue, counted(work_of(queue, context, function)), run);
}

void dispatch_async(void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_async)) original;
    if (!original) original = REAL(dispatch_async);
    if (!virtual_time_follows()) return original(queue, block);
    dispatch_async_f(queue, _Block_copy(block), virtual_time_call_block);
}

void dispatch_barrier_async(void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_barrier_async)) original;
    if (!original) original = REAL(dispatch_barrier_async);
    if (!virtual_time_follows()) return original(queue, block);
    dispatch_barrier_async_f(queue, counted(work_of(queue, _Block_copy(block), virtual_time_call_block)), run);
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
    int64_t now = base + virtual_time_elapsed;
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

int64_t virtual_time_until(uint64_t when) {
    if (when == 0) return 0;
    if (when == UINT64_MAX) return never;
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

uint64_t virtual_time_real(int64_t delay) {
    int visible = depth;
    depth = 0;
    int64_t now = read_clock(CLOCK_MONOTONIC);
    depth = visible;
    return now + delay;
}

double virtual_time_at(double date) {
    static const int64_t seconds_1970_to_2001 = 978307200;
    return date - (double)(wall_base / second - seconds_1970_to_2001);
}

void virtual_time_add(Timer *timer) {
    Timer **place = &timers;
    while (*place && (*place)->due <= timer->due) place = &(*place)->next;
    timer->next = *place;
    *place = timer;
}

void virtual_time_remove(Timer *timer) {
    Timer **place = &timers;
    while (*place && *place != timer) place = &(*place)->next;
    if (*place) *place = timer->next;
}

static void submit_work(Timer *timer, bool is_due) {
    Work *work = (Work *)timer;
    void *queue = work->queue;
    if (is_due) {
        virtual_time_count();
        submit(queue, work, run);
    } else {
        submit(queue, work->context, work->function);
        free(work);
    }
    dispatch_release(queue);
}

void dispatch_after_f(uint64_t when, void *queue, void *context, Function function) {
    static _Atomic(__typeof__(&dispatch_after_f)) original;
    if (!original) original = REAL(dispatch_after_f);
    if (!virtual_time_follows() || when == UINT64_MAX) return original(when, queue, context, function);
    Work *work = work_of(queue, context, function);
    work->timer.due = virtual_time_elapsed + virtual_time_until(when);
    work->timer.leave = submit_work;
    dispatch_retain(queue);
    pthread_mutex_lock(&virtual_time_mutex);
    if (is_virtual) virtual_time_add(&work->timer); else submit_work(&work->timer, false);
    pthread_mutex_unlock(&virtual_time_mutex);
}

void dispatch_after(uint64_t when, void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_after)) original;
    if (!original) original = REAL(dispatch_after);
    if (!virtual_time_follows() || when == UINT64_MAX) return original(when, queue, block);
    dispatch_after_f(when, queue, _Block_copy(block), virtual_time_call_block);
}

// MARK: The clock's owner

void virtual_time_begin(int64_t wall, void (*fire)(void *timer)) {
    fire_timer = fire;
    monotonic_base = read_clock(CLOCK_MONOTONIC);
    wall_base = wall * second;
    virtual_time_elapsed = 0;
    is_virtual = true;
}

// Takes the first timer from the list.
static void leave(bool is_due) {
    Timer *timer = timers;
    timers = timer->next;
    timer->leave(timer, is_due);
}

void virtual_time_end(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    is_virtual = false;
    pthread_cond_broadcast(&changed);
    while (timers) leave(false);
    virtual_time_stop_sources();
    pthread_mutex_unlock(&virtual_time_mutex);
    virtual_time_stop_timers();
}

void virtual_time_call_timer(void *timer) { ((Function)fire_timer)(timer); }

void virtual_time_enter(void) { depth++; }

void virtual_time_leave(void) { depth--; }

void virtual_time_adopt(void) { adopts = true; }

void virtual_time_set(int64_t nanoseconds) { virtual_time_elapsed = nanoseconds; }

uint64_t virtual_time_wait(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    while (outstanding > 0 && is_virtual) pthread_cond_wait(&changed, &virtual_time_mutex);
    uint64_t result = ended;
    pthread_mutex_unlock(&virtual_time_mutex);
    return result;
}

void virtual_time_hold(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    holders++;
    pthread_mutex_unlock(&virtual_time_mutex);
}

void virtual_time_release(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    holders--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&virtual_time_mutex);
}

uint64_t virtual_time_wait_for_sleep(uint64_t seen) {
    pthread_mutex_lock(&virtual_time_mutex);
    while (is_virtual && (outstanding > 0 || holders > 0 || ended == seen)) pthread_cond_wait(&changed, &virtual_time_mutex);
    uint64_t result = is_virtual ? ended : 0;
    pthread_mutex_unlock(&virtual_time_mutex);
    return result;
}

int64_t virtual_time_next(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    int64_t due = timers ? timers->due : never, now = virtual_time_elapsed;
    pthread_mutex_unlock(&virtual_time_mutex);
    return due < now ? now : due;
}

bool virtual_time_fire(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    bool is_due = timers && timers->due <= virtual_time_elapsed;
    if (is_due) leave(true);
    pthread_mutex_unlock(&virtual_time_mutex);
    return is_due;
}
