#include "Internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

// Waits for descriptors, and for signals as descriptors.

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

REPLACED int ppoll(struct pollfd *places, nfds_t count, const struct timespec *time, const sigset_t *mask) {
    struct timespec zero = {0, 0}, copy = time ? *time : zero;
    if (!is_virtual()) return (int)SYSTEM(SYS_ppoll, places, count, time ? &copy : NULL, mask, SIGNAL_SET_SIZE, 0);
    int64_t delay = time ? nanoseconds(time) : NEVER;
    if (delay == 0) {
        fire_timers();
        count_look();
        return (int)SYSTEM(SYS_ppoll, places, count, &zero, mask, SIGNAL_SET_SIZE, 0);
    }
    struct pollfd few[32], *all = count < 32 ? few : malloc((count + 1) * sizeof *all);
    if (!all) return -1;
    if (count) memcpy(all, places, count * sizeof *all);
    int result = poll_until(all, count + 1, after(delay), mask), code = errno;
    for (nfds_t i = 0; i < count && result >= 0; i++) places[i].revents = all[i].revents;
    if (all != few) free(all);
    errno = code;
    return result;
}

REPLACED int poll(struct pollfd *places, nfds_t count, int milliseconds) {
    struct timespec time = timespec_of((int64_t)(milliseconds > 0 ? milliseconds : 0) * MILLISECOND);
    return ppoll(places, count, milliseconds < 0 ? NULL : &time, NULL);
}

// Those of programs that were compiled with _FORTIFY_SOURCE.
REPLACED int __poll_chk(struct pollfd *places, nfds_t count, int milliseconds, size_t size) {
    (void)size;
    return poll(places, count, milliseconds);
}

REPLACED int __ppoll_chk(
    struct pollfd *places, nfds_t count, const struct timespec *time, const sigset_t *mask, size_t size) {
    (void)size;
    return ppoll(places, count, time, mask);
}

// MARK: epoll

static int wait_for_events(int poller, struct epoll_event *events, int count, int64_t delay, const sigset_t *mask) {
    int64_t deadline = after(delay);
    for (;;) {
        fire_timers();
        int result = (int)SYSTEM(SYS_epoll_pwait, poller, events, count, 0, mask, SIGNAL_SET_SIZE);
        if (result == 0 && delay == 0) count_look();
        if (result != 0 || now() >= deadline) return result;
        struct pollfd places[2] = {{poller, POLLIN, 0}, {0, 0, 0}};
        if (poll_until(places, 2, deadline, mask) < 0) return -1;
    }
}

REPLACED int epoll_pwait(int poller, struct epoll_event *events, int count, int milliseconds, const sigset_t *mask) {
    if (!is_virtual())
        return (int)SYSTEM(SYS_epoll_pwait, poller, events, count, milliseconds, mask, SIGNAL_SET_SIZE);
    int64_t delay = milliseconds < 0 ? NEVER : (int64_t)milliseconds * MILLISECOND;
    return wait_for_events(poller, events, count, delay, mask);
}

REPLACED int epoll_wait(int poller, struct epoll_event *events, int count, int milliseconds) {
    return epoll_pwait(poller, events, count, milliseconds, NULL);
}

REPLACED int epoll_pwait2(
    int poller, struct epoll_event *events, int count, const struct timespec *time, const sigset_t *mask) {
    if (!is_virtual()) return (int)SYSTEM(SYS_epoll_pwait2, poller, events, count, time, mask, SIGNAL_SET_SIZE);
    return wait_for_events(poller, events, count, time ? nanoseconds(time) : NEVER, mask);
}

// MARK: select

static int has(int descriptor, fd_set *set) { return set && FD_ISSET(descriptor, set); }

static int put(int is_ready, int descriptor, fd_set *set) {
    if (is_ready) FD_SET(descriptor, set);
    return is_ready;
}

static int select_until(
    int count, fd_set *in, fd_set *out, fd_set *urgent, int64_t delay, const sigset_t *mask) {
    struct pollfd places[FD_SETSIZE + 1];
    nfds_t used = 0;
    if (count < 0 || count > FD_SETSIZE) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < count; i++) {
        int events = (has(i, in) ? POLLIN : 0) | (has(i, out) ? POLLOUT : 0) | (has(i, urgent) ? POLLPRI : 0);
        if (events) places[used++] = (struct pollfd){i, (short)events, 0};
    }
    if (delay == 0) count_look();
    int result = poll_until(places, used + 1, after(delay), mask), ready = 0;
    if (result < 0) return result;
    for (nfds_t i = 0; i < used; i++) {
        if (!(places[i].revents & POLLNVAL)) continue;
        errno = EBADF;
        return -1;
    }
    if (in) FD_ZERO(in);
    if (out) FD_ZERO(out);
    if (urgent) FD_ZERO(urgent);
    for (nfds_t i = 0; i < used; i++) {
        int wanted = places[i].events, got = places[i].revents;
        ready += put(wanted & POLLIN && got & (POLLIN | POLLHUP | POLLERR), places[i].fd, in);
        ready += put(wanted & POLLOUT && got & (POLLOUT | POLLERR), places[i].fd, out);
        ready += put(wanted & POLLPRI && got & POLLPRI, places[i].fd, urgent);
    }
    return ready;
}

REPLACED int pselect(
    int count, fd_set *in, fd_set *out, fd_set *urgent, const struct timespec *time, const sigset_t *mask) {
    if (!is_virtual()) return REAL(pselect)(count, in, out, urgent, time, mask);
    return select_until(count, in, out, urgent, time ? nanoseconds(time) : NEVER, mask);
}

REPLACED int select(int count, fd_set *in, fd_set *out, fd_set *urgent, struct timeval *time) {
    if (!is_virtual()) return REAL(select)(count, in, out, urgent, time);
    int64_t delay = time ? nanoseconds_of(time) : NEVER, deadline = after(delay);
    int result = select_until(count, in, out, urgent, delay, NULL);
    if (time) *time = timeval_of(deadline > now() ? deadline - now() : 0);
    return result;
}

// MARK: Signals

REPLACED int sigtimedwait(const sigset_t *set, siginfo_t *information, const struct timespec *time) {
    if (!is_virtual() || !time) return (int)SYSTEM4(SYS_rt_sigtimedwait, set, information, time, SIGNAL_SET_SIZE);
    int64_t deadline = after(nanoseconds(time));
    struct timespec zero = {0, 0};
    int waiting = (int)SYSTEM4(SYS_signalfd4, -1, set, SIGNAL_SET_SIZE, SFD_CLOEXEC | SFD_NONBLOCK), result, code;
    for (;;) {
        result = (int)SYSTEM4(SYS_rt_sigtimedwait, set, information, &zero, SIGNAL_SET_SIZE);
        code = errno;
        if (result >= 0 || code != EAGAIN || now() >= deadline) break;
        struct pollfd places[2] = {{waiting, POLLIN, 0}, {0, 0, 0}};
        if (poll_until(places, 2, deadline, NULL) >= 0) continue;
        code = errno;
        break;
    }
    SYSTEM4(SYS_close, waiting, 0, 0, 0);
    errno = code;
    return result;
}
