#include "Internal.h"

#include <pthread.h>
#include <semaphore.h>

// Locks with a limit: semaphores, and attempts with sleeps between them for those whose inside is glibc's alone.

// glibc's semaphore of 64 bits: its value in the lower word, its number of waiters in the upper one.
struct semaphore {
    _Atomic uint64_t state;
    int32_t is_shared;
};
static const uint64_t one_waiter = (uint64_t)1 << 32;

REPLACED int sem_wait(sem_t *semaphore) {
    if (is_virtual()) {
        if (sem_trywait(semaphore) == 0) return 0;
        hint();
    }
    return REAL(sem_wait)(semaphore);
}

REPLACED int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time) {
    if (!is_virtual()) return REAL(sem_clockwait)(semaphore, clock, time);
    if (sem_trywait(semaphore) == 0) return 0;
    struct semaphore *it = (void *)semaphore;
    int64_t deadline = instant(clock, time);
    int result = 0;
    atomic_fetch_add(&it->state, one_waiter);
    while (sem_trywait(semaphore) != 0) {
        if (wait_on(&it->state, 0, !it->is_shared, deadline) == 0 || errno == EAGAIN) continue;
        int code = errno;
        if (code == ETIMEDOUT && sem_trywait(semaphore) == 0) break;
        errno = code;
        result = -1;
        break;
    }
    int code = errno;
    atomic_fetch_sub(&it->state, one_waiter);
    errno = code;
    return result;
}

REPLACED int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
    return is_virtual() ? sem_clockwait(semaphore, CLOCK_REALTIME, time) : REAL(sem_timedwait)(semaphore, time);
}

// Attempts until a deadline, with sleeps from 1 µs to 1 ms between them.
static int attempt_until(int64_t deadline, int (*attempt)(void *), void *it) {
    for (int64_t pause = 1000;; pause = pause < MILLISECOND ? pause * 2 : pause) {
        int code = attempt(it);
        if (code != EBUSY) return code;
        if (now() >= deadline) return ETIMEDOUT;
        int64_t next = now() + pause;
        pause_until(next < deadline ? next : deadline);
    }
}

static int lock_mutex(void *it) { return pthread_mutex_trylock(it); }
static int lock_reading(void *it) { return pthread_rwlock_tryrdlock(it); }
static int lock_writing(void *it) { return pthread_rwlock_trywrlock(it); }

REPLACED int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_mutex_clocklock)(mutex, clock, time);
    return attempt_until(instant(clock, time), lock_mutex, mutex);
}

REPLACED int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_mutex_timedlock)(mutex, time);
    return attempt_until(instant(CLOCK_REALTIME, time), lock_mutex, mutex);
}

REPLACED int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
    return attempt_until(instant(clock, time), lock_reading, lock);
}

REPLACED int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_rwlock_timedrdlock)(lock, time);
    return attempt_until(instant(CLOCK_REALTIME, time), lock_reading, lock);
}

REPLACED int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
    return attempt_until(instant(clock, time), lock_writing, lock);
}

REPLACED int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
    if (!is_virtual()) return REAL(pthread_rwlock_timedwrlock)(lock, time);
    return attempt_until(instant(CLOCK_REALTIME, time), lock_writing, lock);
}

// MARK: Waiting for the end of a thread

struct joining {
    pthread_t thread;
    void **result;
};

static int join(void *it) {
    struct joining *wanted = it;
    return pthread_tryjoin_np(wanted->thread, wanted->result);
}

REPLACED int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *time) {
    if (!is_virtual() || !time) return REAL(pthread_clockjoin_np)(thread, result, clock, time);
    struct joining wanted = {thread, result};
    return attempt_until(instant(clock, time), join, &wanted);
}

REPLACED int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *time) {
    if (!is_virtual() || !time) return REAL(pthread_timedjoin_np)(thread, result, time);
    struct joining wanted = {thread, result};
    return attempt_until(instant(CLOCK_REALTIME, time), join, &wanted);
}
