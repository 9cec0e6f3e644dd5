#include "Internal.h"

#include <threads.h>
#include <unistd.h>

// Sleeps for a time.

REPLACED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    if (!is_virtual() || !is_followed(clock))
        return SYSTEM4(SYS_clock_nanosleep, clock, flags, time, left) < 0 ? errno : 0;
    if (time->tv_nsec < 0 || time->tv_nsec >= SECOND || time->tv_sec < 0) return EINVAL;
    int64_t deadline = flags & TIMER_ABSTIME ? instant(clock, time) : after(nanoseconds(time));
    int code = errno, result = sleep_until(deadline);
    errno = code;
    if (result == 0) return 0;
    if (left && !(flags & TIMER_ABSTIME)) *left = timespec_of(deadline > now() ? deadline - now() : 0);
    return EINTR;
}

REPLACED int nanosleep(const struct timespec *time, struct timespec *left) {
    int code = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (code == 0) return 0;
    errno = code;
    return -1;
}

REPLACED int usleep(useconds_t microseconds) {
    struct timespec time = timespec_of((int64_t)microseconds * 1000);
    return nanosleep(&time, NULL);
}

REPLACED unsigned sleep(unsigned seconds) {
    struct timespec time = {seconds, 0}, left = {0, 0};
    if (nanosleep(&time, &left) == 0) return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= SECOND / 2);
}

REPLACED int thrd_sleep(const struct timespec *time, struct timespec *left) {
    int code = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    return code == 0 ? 0 : code == EINTR ? -1 : -2;
}
