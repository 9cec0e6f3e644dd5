#include "Internal.h"

// Semaphores of libdispatch: while work waits for one, it is not counted, so that time passes; the time limit is in virtual time.

long dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
long dispatch_semaphore_signal(void *semaphore);

typedef struct Wait {
    Timer timer;
    void *semaphore;
    pthread_cond_t changed;
    bool has_permit, is_over;
    struct Wait *next;
} Wait;

// Protects the list, and is locked after `virtual_time_mutex`, with which libdispatch signals semaphores of its own.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(Wait *) waits;  // in the order of their beginning

static bool goes_on(const Wait *wait) { return !wait->has_permit && !wait->is_over; }

// Counts work that waits no longer, and wakes its thread.
static void wake(Wait *wait) {
    virtual_time_count();
    pthread_cond_signal(&wait->changed);
}

static void expire(Timer *timer, bool is_due) {
    (void)is_due;
    Wait *wait = (Wait *)timer;
    if (!goes_on(wait)) return;
    wait->is_over = true;
    wake(wait);
}

static void add(Wait *wait) {
    Wait *last = waits;
    while (last && last->next) last = last->next;
    if (last) last->next = wait; else waits = wait;
}

static void remove_wait(Wait *wait) {
    pthread_mutex_lock(&mutex);
    Wait *before = waits;
    if (before == wait) {
        waits = wait->next;
    } else {
        while (before->next != wait) before = before->next;
        before->next = wait->next;
    }
    pthread_mutex_unlock(&mutex);
}

long dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    static _Atomic(__typeof__(&dispatch_semaphore_wait)) original;
    if (!original) original = REAL(dispatch_semaphore_wait);
    if (!virtual_time_follows() || timeout == 0) return original(semaphore, timeout);
    int64_t delay = virtual_time_until(timeout);
    pthread_mutex_lock(&virtual_time_mutex);
    Wait wait = {.timer = {.leave = expire}, .semaphore = semaphore, .changed = PTHREAD_COND_INITIALIZER};
    pthread_mutex_lock(&mutex);
    bool has_permit = original(semaphore, 0) == 0, waits_for_it = !has_permit && delay > 0;
    if (waits_for_it) add(&wait);
    pthread_mutex_unlock(&mutex);
    if (waits_for_it) {
        if (delay != never && !__builtin_add_overflow(virtual_time_elapsed, delay, &wait.timer.due)) {
            virtual_time_add(&wait.timer);
        }
        virtual_time_end_work();
        while (goes_on(&wait)) pthread_cond_wait(&wait.changed, &virtual_time_mutex);
        virtual_time_remove(&wait.timer);
        remove_wait(&wait);
        has_permit = wait.has_permit;
    }
    pthread_mutex_unlock(&virtual_time_mutex);
    return has_permit ? 0 : 1;
}

long dispatch_semaphore_signal(void *semaphore) {
    static _Atomic(__typeof__(&dispatch_semaphore_signal)) original;
    if (!original) original = REAL(dispatch_semaphore_signal);
    if (!waits && !virtual_time_runs()) return original(semaphore);
    pthread_mutex_lock(&mutex);
    Wait *wait = waits;
    while (wait && wait->semaphore != semaphore) wait = wait->next;
    long result = wait ? 1 : original(semaphore);
    pthread_mutex_unlock(&mutex);
    if (!wait) return result;
    pthread_mutex_lock(&virtual_time_mutex);
    pthread_mutex_lock(&mutex);
    wait = waits;
    while (wait && (wait->semaphore != semaphore || !goes_on(wait))) wait = wait->next;
    if (wait) {
        wait->has_permit = true;
        wake(wait);
    } else {
        result = original(semaphore);
    }
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&virtual_time_mutex);
    return result;
}
