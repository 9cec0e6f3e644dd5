#include "Internal.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// Sockets with a limit (SO_RCVTIMEO, SO_SNDTIMEO), which the kernel does not learn, and reads of timers.

enum { DESCRIPTORS = 4096 };
static struct {
    _Atomic int64_t receive, send;
} limits[DESCRIPTORS];

static _Atomic int64_t *limit_of(int descriptor, int is_receive) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return NULL;
    return is_receive ? &limits[descriptor].receive : &limits[descriptor].send;
}

// Waits until a descriptor with a limit, or of a timer, can be used; false after the limit.
static int can_use(int descriptor, short events, int flags) {
    if (!shared || descriptor < 0 || flags & MSG_DONTWAIT) return 1;
    _Atomic int64_t *place = limit_of(descriptor, events == POLLIN);
    int64_t limit = place ? atomic_load(place) : 0;
    if (!limit && (events != POLLIN || !is_timer(descriptor))) return 1;
    int code = errno;
    if (SYSTEM4(SYS_fcntl, descriptor, F_GETFL, 0, 0) & O_NONBLOCK) {
        fire_timers();
        errno = code;
        return 1;
    }
    struct pollfd places[2] = {{descriptor, events, 0}, {0, 0, 0}};
    int result = poll_until(places, 2, after(limit ? limit : NEVER), NULL);
    if (result == 0) errno = EAGAIN;
    if (result > 0) errno = code;
    return result > 0;
}

// A turn begins after a read that had to wait; in a turn, this does nothing.
static ssize_t received(ssize_t result) {
    begin_turn();
    return result;
}

REPLACED int setsockopt(int descriptor, int level, int name, const void *value, socklen_t size) {
    _Atomic int64_t *place = limit_of(descriptor, name == SO_RCVTIMEO);
    if (!is_virtual() || level != SOL_SOCKET || (name != SO_RCVTIMEO && name != SO_SNDTIMEO) || !place
        || size < sizeof(struct timeval))
        return (int)SYSTEM(SYS_setsockopt, descriptor, level, name, value, size, 0);
    const struct timeval *time = value;
    atomic_store(place, nanoseconds_of(time));
    return 0;
}

REPLACED ssize_t read(int descriptor, void *octets, size_t size) {
    return can_use(descriptor, POLLIN, 0) ? received(REAL(read)(descriptor, octets, size)) : -1;
}

REPLACED ssize_t recv(int descriptor, void *octets, size_t size, int flags) {
    return can_use(descriptor, POLLIN, flags) ? received(REAL(recv)(descriptor, octets, size, flags)) : -1;
}

REPLACED ssize_t recvfrom(
    int descriptor, void *octets, size_t size, int flags, struct sockaddr *from, socklen_t *length) {
    if (!can_use(descriptor, POLLIN, flags)) return -1;
    return received(REAL(recvfrom)(descriptor, octets, size, flags, from, length));
}

REPLACED ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
    return can_use(descriptor, POLLIN, flags) ? received(REAL(recvmsg)(descriptor, message, flags)) : -1;
}

// Linux looks at the limit only after each datagram, so it bounds no wait for the first one (recvmmsg(2), BUGS).
REPLACED int recvmmsg(
    int descriptor, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit) {
    if (!is_virtual()) return REAL(recvmmsg)(descriptor, messages, count, flags, limit);
    if (!limit && !can_use(descriptor, POLLIN, flags)) return -1;
    if (!limit) return (int)received(REAL(recvmmsg)(descriptor, messages, count, flags, NULL));
    int64_t deadline = after(nanoseconds(limit));
    unsigned received = 0;
    while (received < count) {
        if (!can_use(descriptor, POLLIN, flags)) break;
        ssize_t length = REAL(recvmsg)(descriptor, &messages[received].msg_hdr, flags & ~MSG_WAITFORONE);
        if (length < 0) break;
        messages[received++].msg_len = (unsigned)length;
        if (flags & MSG_WAITFORONE) flags |= MSG_DONTWAIT;
        if (now() >= deadline) break;
    }
    *limit = timespec_of(deadline > now() ? deadline - now() : 0);
    return received ? (int)received : -1;
}

REPLACED ssize_t send(int descriptor, const void *octets, size_t size, int flags) {
    return can_use(descriptor, POLLOUT, flags) ? REAL(send)(descriptor, octets, size, flags) : -1;
}

REPLACED int accept(int descriptor, struct sockaddr *from, socklen_t *length) {
    return can_use(descriptor, POLLIN, 0) ? (int)received(REAL(accept)(descriptor, from, length)) : -1;
}

REPLACED int accept4(int descriptor, struct sockaddr *from, socklen_t *length, int flags) {
    return can_use(descriptor, POLLIN, 0) ? (int)received(REAL(accept4)(descriptor, from, length, flags)) : -1;
}

REPLACED int close(int descriptor) {
    forget_timer(descriptor);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        atomic_store(&limits[descriptor].receive, 0);
        atomic_store(&limits[descriptor].send, 0);
    }
    return REAL(close)(descriptor);
}

static int is_other_machine(const struct sockaddr *to) {
    const struct sockaddr_in *four = (const void *)to;
    const struct sockaddr_in6 *six = (const void *)to;
    if (to->sa_family == AF_INET) return ntohl(four->sin_addr.s_addr) >> 24 != 127;
    if (to->sa_family != AF_INET6) return 0;
    return !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) && !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
}

// Whether the other side is neither a client nor Lubdub.
static int is_stranger(int descriptor) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (SYSTEM(SYS_getsockopt, descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size, 0) != 0) return 0;
    if (peer.pid == shared->coordinator) return 0;
    for (int i = 0; i < CLIENT_PROCESSES; i++)
        if (atomic_load(&shared->processes[i].pid) == peer.pid) return 0;
    return 1;
}

// Who answers from outside does so in real time: the coordinator warns.
REPLACED int connect(int descriptor, const struct sockaddr *to, socklen_t length) {
    int result = REAL(connect)(descriptor, to, length), code = errno;
    if (is_virtual() && process && to && length >= sizeof(sa_family_t)) {
        if (is_other_machine(to)) atomic_fetch_or(&process->notes, CLIENT_OTHER_MACHINE);
        if (to->sa_family == AF_UNIX && result == 0 && is_stranger(descriptor))
            atomic_fetch_or(&process->notes, CLIENT_OTHER_PROCESS);
    }
    errno = code;
    return result;
}
