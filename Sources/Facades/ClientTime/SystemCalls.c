#include "Internal.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

// syscall(2), for programs with wrappers of their own: Rust, Swift, abseil.

static long wait_on_futex(const long *a) {
    int operation = (int)a[1], command = operation & FUTEX_CMD_MASK;
    const struct timespec *time = (const void *)a[3];
    clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    int64_t deadline = command == FUTEX_WAIT ? after(nanoseconds(time)) : instant(clock, time);
    return wait_on((void *)a[0], (uint32_t)a[2], operation & FUTEX_PRIVATE_FLAG, deadline);
}

static int is_futex_wait_with_limit(long number, const long *a) {
    int command = (int)a[1] & FUTEX_CMD_MASK;
    return number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && a[3];
}

REPLACED long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (!is_virtual()) return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (is_futex_wait_with_limit(number, a)) return wait_on_futex(a);
    switch (number) {
    case SYS_clock_gettime: return clock_gettime((clockid_t)a[0], (void *)a[1]);
    case SYS_gettimeofday: return gettimeofday((void *)a[0], NULL);
    case SYS_nanosleep: return nanosleep((void *)a[0], (void *)a[1]);
    case SYS_clock_nanosleep: {
        int code = clock_nanosleep((clockid_t)a[0], (int)a[1], (void *)a[2], (void *)a[3]);
        if (code == 0) return 0;
        errno = code;
        return -1;
    }
    case SYS_getrandom: return getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
    case SYS_ppoll: return ppoll((void *)a[0], (nfds_t)a[1], (void *)a[2], (void *)a[3]);
    case SYS_epoll_pwait: return epoll_pwait((int)a[0], (void *)a[1], (int)a[2], (int)a[3], (void *)a[4]);
#ifdef SYS_epoll_wait
    case SYS_epoll_wait: return epoll_pwait((int)a[0], (void *)a[1], (int)a[2], (int)a[3], NULL);
    case SYS_poll: return poll((void *)a[0], (nfds_t)a[1], (int)a[2]);
    case SYS_select: return select((int)a[0], (void *)a[1], (void *)a[2], (void *)a[3], (void *)a[4]);
    case SYS_time: return time((void *)a[0]);
#endif
    default: return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
