#include "Internal.h"

// The clocks: constant while the client runs, except in a busy wait.

enum { LOOKS_BEFORE_SLEEP = 10000 };
static PER_THREAD unsigned looks;  // without a wait between them

int64_t now(void) { return atomic_load(&shared->now); }

int64_t after(int64_t delay) {
    if (delay >= NEVER - now()) return NEVER;
    return now() + (delay < 0 ? 0 : delay);
}

int64_t nanoseconds(const struct timespec *time) {
    return time->tv_sec > NEVER / SECOND - 1 ? NEVER : (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

int64_t nanoseconds_of(const struct timeval *time) {
    struct timespec same = {time->tv_sec, time->tv_usec * 1000};
    return nanoseconds(&same);
}

struct timespec timespec_of(int64_t time) { return (struct timespec){time / SECOND, time % SECOND}; }

struct timeval timeval_of(int64_t time) { return (struct timeval){time / SECOND, time % SECOND / 1000}; }

int is_followed(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return 1;
    default: return 0;  // CPU time is real
    }
}

static int64_t base(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return shared->realtime;
    default: return shared->monotonic;
    }
}

int64_t instant(clockid_t clock, const struct timespec *time) {
    int64_t shown = nanoseconds(time);
    if (shown == NEVER) return NEVER;
    return shown > base(clock) ? shown - base(clock) : 1;
}

void count_look(void) {
    if (++looks < LOOKS_BEFORE_SLEEP) return;
    unsigned kept = looks, past = looks - LOOKS_BEFORE_SLEEP;
    int code = errno;
    atomic_fetch_add(&shared->spins, 1);
    // From 1 µs to 1 ms.
    pause_until(now() + (past < 80 ? 1000 << past / 8 : MILLISECOND));
    errno = code;
    looks = kept;
}

void hint(void) {
    looks = 0;
    atomic_fetch_add(&shared->hint, 1);
    if (atomic_load(&shared->hint_wanted)) SYSTEM4(SYS_futex, &shared->hint, 1 /* FUTEX_WAKE */, 1, 0);
}

REPLACED int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_virtual() || !is_followed(clock)) return (int)SYSTEM4(SYS_clock_gettime, clock, time, 0, 0);
    count_look();
    *time = timespec_of(base(clock) + now());
    return 0;
}

REPLACED int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (!is_virtual()) return (int)SYSTEM4(SYS_gettimeofday, time, zone, 0, 0);
    struct timespec shown;
    clock_gettime(CLOCK_REALTIME, &shown);
    *time = (struct timeval){shown.tv_sec, shown.tv_nsec / 1000};
    return 0;
}

REPLACED time_t time(time_t *seconds) {
    struct timespec shown;
    clock_gettime(CLOCK_REALTIME, &shown);
    if (seconds) *seconds = shown.tv_sec;
    return shown.tv_sec;
}

REPLACED int timespec_get(struct timespec *time, int kind) {
    return kind == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? kind : 0;
}

REPLACED int clock_settime(clockid_t clock, const struct timespec *time) {
    if (!is_virtual()) return (int)SYSTEM4(SYS_clock_settime, clock, time, 0, 0);
    errno = EPERM;
    return -1;
}
