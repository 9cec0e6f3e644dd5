#include "Internal.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

// The three ways to wait until a deadline: for nothing, for a word of memory, and for descriptors.

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum { FIRST_DESCRIPTOR = 800 };  // out of the way of the client's descriptors
static PER_THREAD int wake_socket = -1;

void close_wake_socket(void) {
    if (wake_socket >= 0) SYSTEM4(SYS_close, wake_socket, 0, 0, 0);
    wake_socket = -1;
}

// Begins a wait.  Returns the deadline of the wait that a signal handler has interrupted, for `leave`.
static int64_t enter(int64_t deadline, int has_socket) {
    struct client_thread *thread = this_thread();
    int64_t outer = atomic_load(&thread->deadline);
    atomic_store(&thread->woken, 0);
    atomic_store(&thread->has_socket, has_socket);
    atomic_store(&thread->deadline, deadline <= 0 ? 1 : deadline);
    hint();
    return outer;
}

static void leave(int64_t outer) { atomic_store(&this_thread()->deadline, outer); }

int pause_until(int64_t deadline) {
    struct client_thread *thread = this_thread();
    int64_t outer = enter(deadline, 0);
    int result = 0;
    // With a limit, a signal always interrupts the wait, also with SA_RESTART.
    struct timespec years = {1000000000, 0};
    while (now() < deadline && result == 0) {
        if (SYSTEM4(SYS_futex, &thread->woken, FUTEX_WAIT, 0, &years) < 0 && errno == EINTR) result = -1;
        if (now() < deadline) atomic_store(&thread->woken, 0);
    }
    leave(outer);
    return result;
}

int sleep_until(int64_t deadline) {
    int result = pause_until(deadline);
    begin_turn();
    return result;
}

int wait_on(void *word, uint32_t value, int is_private, int64_t deadline) {
    if (now() >= deadline) {
        errno = ETIMEDOUT;
        return -1;
    }
    struct client_thread *thread = this_thread();
    struct {
        uint64_t value, address;
        uint32_t flags, reserved;
    } both[2] = {
        {value, (uintptr_t)word, 2 /* 32 bits */ | (is_private ? FUTEX_PRIVATE_FLAG : 0), 0},
        {0, (uintptr_t)&thread->woken, 2, 0},
    };
    int64_t outer = enter(deadline, 0);
    static _Atomic int lacks_call;
    long result = atomic_load(&lacks_call) ? -1 : SYSTEM(SYS_futex_waitv, both, 2, 0, NULL, 0, 0);
    if (result < 0 && (errno == ENOSYS || errno == EPERM)) atomic_store(&lacks_call, 1);
    if (atomic_load(&lacks_call)) result = wait_with_helper(word, value, is_private);
    int code = errno;
    leave(outer);
    begin_turn();
    if (result == 0) return 0;
    if (now() >= deadline) {
        code = ETIMEDOUT;
    } else if (result == 1 || atomic_load(&thread->woken)) {
        return 0;  // woken without a reason, which every caller expects
    }
    errno = code;
    return -1;
}

// The socket by which the coordinator wakes this thread.
static int own_socket(void) {
    if (wake_socket >= 0) return wake_socket;
    int made = (int)SYSTEM4(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, 0);
    int high = (int)SYSTEM4(SYS_fcntl, made, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR, 0);
    if (high >= 0) {
        SYSTEM4(SYS_close, made, 0, 0, 0);
        made = high;
    }
    // The kernel chooses a free abstract address of 5 digits.
    struct sockaddr_un address = {AF_UNIX, ""};
    socklen_t size = sizeof address;
    SYSTEM4(SYS_bind, made, &address, sizeof(sa_family_t), 0);
    SYSTEM4(SYS_getsockname, made, &address, &size, 0);
    struct client_thread *thread = this_thread();
    memset(thread->name, 0, sizeof thread->name);
    memcpy(thread->name, address.sun_path + 1, size - sizeof(sa_family_t) - 1);
    return wake_socket = made;
}

static void empty_own_socket(short events) {
    char octets[8];
    if (events & POLLNVAL) {
        wake_socket = -1;  // the client has closed all descriptors
    } else {
        while (SYSTEM(SYS_recvfrom, wake_socket, octets, sizeof octets, MSG_DONTWAIT, 0, 0) > 0) {}
    }
}

int poll_until(struct pollfd *places, nfds_t count, int64_t deadline, const sigset_t *mask) {
    struct pollfd *last = &places[count - 1];
    for (;;) {
        fire_timers();
        struct timespec zero = {0, 0};
        int socket = own_socket();
        // Before the look at the clock: then the coordinator wakes what is due later.
        int64_t outer = enter(deadline, 1);
        int is_due = now() >= deadline;
        *last = (struct pollfd){socket, POLLIN, 0};
        int result = (int)SYSTEM(SYS_ppoll, places, count, is_due ? &zero : NULL, mask, SIGNAL_SET_SIZE, 0);
        int code = errno;
        leave(outer);
        errno = code;
        if (result > 0 && last->revents) {
            empty_own_socket(last->revents);
            result--;
        }
        if (result == 0 && !is_due) continue;
        begin_turn();
        return result;
    }
}
