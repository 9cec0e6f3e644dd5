#include "Internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>

// Condition variables, replaced as a whole: a counter of signals, on which waiters wait.

struct condition {
    _Atomic uint32_t signals, waiters;
    int32_t clock, is_shared;
};

// After a wait: also when the thread is cancelled in it.
struct relocking {
    struct condition *condition;
    pthread_mutex_t *mutex;
};

static struct condition *condition(pthread_cond_t *it) { return (struct condition *)(void *)it; }

static int scope(const struct condition *it) { return it->is_shared ? 0 : FUTEX_PRIVATE_FLAG; }

REPLACED int pthread_cond_init(pthread_cond_t *it, const pthread_condattr_t *attributes) {
    memset(it, 0, sizeof *it);
    clockid_t clock = CLOCK_REALTIME;
    if (attributes) {
        pthread_condattr_getclock(attributes, &clock);
        pthread_condattr_getpshared(attributes, &condition(it)->is_shared);
    }
    condition(it)->clock = clock;
    return 0;
}

REPLACED int pthread_cond_destroy(pthread_cond_t *it) {
    (void)it;
    return 0;
}

static int wake(struct condition *it, int count) {
    int code = errno;
    atomic_fetch_add(&it->signals, 1);
    if (atomic_load(&it->waiters)) SYSTEM4(SYS_futex, &it->signals, FUTEX_WAKE | scope(it), count, 0);
    errno = code;
    return 0;
}

REPLACED int pthread_cond_signal(pthread_cond_t *it) { return wake(condition(it), 1); }

REPLACED int pthread_cond_broadcast(pthread_cond_t *it) { return wake(condition(it), INT_MAX); }

static void relock(void *it) {
    struct relocking *after = it;
    atomic_fetch_sub(&after->condition->waiters, 1);
    pthread_mutex_lock(after->mutex);
}

static int wait_for_signal(
    pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    struct condition *it = condition(cond);
    if (time && (time->tv_nsec < 0 || time->tv_nsec >= SECOND)) return EINVAL;
    atomic_fetch_add(&it->waiters, 1);
    uint32_t seen = atomic_load(&it->signals);
    int code = errno, error = pthread_mutex_unlock(mutex);
    if (error) {
        atomic_fetch_sub(&it->waiters, 1);
        return error;
    }
    volatile int result = 0;
    struct relocking after = {it, mutex};
    pthread_cleanup_push(relock, &after);
    if (time && is_virtual()) {
        int64_t deadline = instant(clock, time);
        while (atomic_load(&it->signals) == seen && result == 0)
            if (wait_on(&it->signals, seen, !it->is_shared, deadline) < 0 && errno == ETIMEDOUT) result = ETIMEDOUT;
    } else {
        int operation = FUTEX_WAIT_BITSET | scope(it) | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
        if (shared) hint();
        while (atomic_load(&it->signals) == seen && result == 0)
            if (SYSTEM(SYS_futex, &it->signals, operation, seen, time, 0, FUTEX_BITSET_MATCH_ANY) < 0
                && errno == ETIMEDOUT)
                result = ETIMEDOUT;
    }
    pthread_cleanup_pop(1);
    errno = code;
    return result;
}

REPLACED int pthread_cond_wait(pthread_cond_t *it, pthread_mutex_t *mutex) {
    return wait_for_signal(it, mutex, CLOCK_REALTIME, NULL);
}

REPLACED int pthread_cond_timedwait(pthread_cond_t *it, pthread_mutex_t *mutex, const struct timespec *time) {
    return wait_for_signal(it, mutex, condition(it)->clock, time);
}

REPLACED int pthread_cond_clockwait(
    pthread_cond_t *it, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    return wait_for_signal(it, mutex, clock, time);
}
