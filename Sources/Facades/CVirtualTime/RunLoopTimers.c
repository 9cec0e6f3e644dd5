#include "Internal.h"

#include <math.h>
#include <stdlib.h>

// Timers of Foundation, which run loops fire.
//
// `swift test` runs no run loop.  A timer that is added in virtual time to that of the main thread, or on the main queue, which
// is the main thread on Apple's platforms, is thus kept here.  It fires on the main queue, at its date.

typedef struct {
    long version;
    void *info;
    void *(*retain)(const void *);
    void (*release)(const void *);
    void *(*description)(const void *);
} Context;

void CFRunLoopAddTimer(void *loop, void *timer, void *mode);
void CFRunLoopTimerInvalidate(void *timer);
void CFRunLoopTimerSetNextFireDate(void *timer, double date);
double CFRunLoopTimerGetNextFireDate(void *timer);
double CFRunLoopTimerGetInterval(void *timer);
unsigned char CFRunLoopTimerIsValid(void *timer);
void CFRunLoopTimerGetContext(void *timer, Context *context);
void *CFRunLoopGetMain(void);
void *CFRetain(void *object);
void CFRelease(void *object);
const char *dispatch_queue_get_label(void *queue);

extern struct dispatch_queue_s _dispatch_main_q;

// A timer that is valid and has been added.
typedef struct Entry {
    Timer timer;
    void *object;
    struct Entry *next;
} Entry;

static Entry *entries;

static Entry **place_of(void *object) {
    Entry **place = &entries;
    while (*place && (*place)->object != object) place = &(*place)->next;
    return place;
}

// Waits until the timer's date, which Foundation limits to 128 years from now.
static void wait_for(Entry *entry) {
    double nanoseconds = ceil(virtual_time_at(CFRunLoopTimerGetNextFireDate(entry->object)) * 1e9);
    entry->timer.due = nanoseconds > 3e18 ? never : nanoseconds < 0 ? 0 : (int64_t)nanoseconds;
    if (entry->timer.due != never) virtual_time_add(&entry->timer);
}

static void set_date(void *timer, double date) {
    static _Atomic(__typeof__(&CFRunLoopTimerSetNextFireDate)) original;
    if (!original) original = REAL(CFRunLoopTimerSetNextFireDate);
    original(timer, date);
}

static void fire(void *timer) {
    if (CFRunLoopTimerIsValid(timer)) {
        Context context = {0};
        CFRunLoopTimerGetContext(timer, &context);
        virtual_time_call_timer(context.info);
    }
    CFRelease(timer);
}

static void leave(Timer *timer, bool is_due) {
    if (!is_due) return;
    Entry *entry = (Entry *)timer;
    void *object = entry->object;
    double interval = CFRunLoopTimerGetInterval(object);
    if (interval > 0) {  // from the date, and not from now
        double date = CFRunLoopTimerGetNextFireDate(object), late = virtual_time_elapsed / 1e9 - virtual_time_at(date);
        set_date(object, date + interval * (late < interval ? 1 : floor(late / interval) + 1));
        wait_for(entry);
        CFRetain(object);
    } else {
        *place_of(object) = entry->next;
        free(entry);
    }
    virtual_time_submit(&_dispatch_main_q, object, fire);
}

static bool is_on_main_queue(void) {
    return dispatch_queue_get_label(NULL) == dispatch_queue_get_label(&_dispatch_main_q);
}

// For Thread.isMainThread: the main queue stands in for the main thread.
bool _CFIsMainThread(void);
bool _CFIsMainThread(void) {
    static _Atomic(__typeof__(&_CFIsMainThread)) original;
    if (!original) original = REAL(_CFIsMainThread);
    return virtual_time_follows() ? is_on_main_queue() : original();
}

void CFRunLoopAddTimer(void *loop, void *timer, void *mode) {
    static _Atomic(__typeof__(&CFRunLoopAddTimer)) original;
    if (!original) original = REAL(CFRunLoopAddTimer);
    if (!virtual_time_follows() || (loop != CFRunLoopGetMain() && !is_on_main_queue())) {
        return original(loop, timer, mode);
    }
    pthread_mutex_lock(&virtual_time_mutex);
    if (virtual_time_runs() && CFRunLoopTimerIsValid(timer) && !*place_of(timer)) {
        Entry *entry = calloc(1, sizeof *entry);
        if (!entry) abort();
        *entry = (Entry){.timer = {.leave = leave}, .object = CFRetain(timer), .next = entries};
        entries = entry;
        wait_for(entry);
    }
    pthread_mutex_unlock(&virtual_time_mutex);
}

void CFRunLoopTimerSetNextFireDate(void *timer, double date) {
    set_date(timer, date);
    pthread_mutex_lock(&virtual_time_mutex);
    Entry *entry = *place_of(timer);
    if (entry) {
        virtual_time_remove(&entry->timer);
        wait_for(entry);
    }
    pthread_mutex_unlock(&virtual_time_mutex);
}

void CFRunLoopTimerInvalidate(void *timer) {
    static _Atomic(__typeof__(&CFRunLoopTimerInvalidate)) original;
    if (!original) original = REAL(CFRunLoopTimerInvalidate);
    pthread_mutex_lock(&virtual_time_mutex);
    Entry **place = place_of(timer), *entry = *place;
    if (entry) {
        virtual_time_remove(&entry->timer);
        *place = entry->next;
    }
    pthread_mutex_unlock(&virtual_time_mutex);
    original(timer);
    if (!entry) return;
    CFRelease(timer);
    free(entry);
}

void virtual_time_stop_timers(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    Entry *entry = entries;
    entries = NULL;
    pthread_mutex_unlock(&virtual_time_mutex);
    while (entry) {
        Entry *next = entry->next;
        CFRelease(entry->object);
        free(entry);
        entry = next;
    }
}

uint64_t virtual_time_timers(void) {
    pthread_mutex_lock(&virtual_time_mutex);
    uint64_t count = 0;
    for (Entry *entry = entries; entry; entry = entry->next) count++;
    pthread_mutex_unlock(&virtual_time_mutex);
    return count;
}
