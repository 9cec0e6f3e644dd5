#include "Internal.h"

#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Timers: those with descriptors are eventfds, to which a waiting thread writes; the coordinator sends signals of
// others.

static _Atomic int has_timers;  // with descriptors

void fire_timers(void) {
    if (!atomic_load(&has_timers)) return;
    int32_t pid = this_thread()->pid;
    for (int i = 0; i < CLIENT_TIMERS; i++) {
        struct client_timer *timer = &shared->timers[i];
        if (atomic_load(&timer->pid) != pid || timer->descriptor < 0) continue;
        int64_t due = atomic_load(&timer->deadline), interval = atomic_load(&timer->interval);
        if (due > now()) continue;
        uint64_t count = interval ? 1 + (uint64_t)((now() - due) / interval) : 1;
        int64_t next = interval ? due + (int64_t)count * interval : NEVER;
        if (!atomic_compare_exchange_strong(&timer->deadline, &due, next)) continue;  // another thread was first
        SYSTEM4(SYS_write, timer->descriptor, &count, sizeof count, 0);
    }
}

static struct client_timer *timer_at(int descriptor) {
    if (!shared || descriptor < 0 || !atomic_load(&has_timers)) return NULL;
    int32_t pid = this_thread()->pid;
    for (int i = 0; i < CLIENT_TIMERS; i++)
        if (atomic_load(&shared->timers[i].pid) == pid && shared->timers[i].descriptor == descriptor)
            return &shared->timers[i];
    return NULL;
}

int is_timer(int descriptor) { return timer_at(descriptor) != NULL; }

// A free place, which belongs to nobody until its `pid` is set.
static struct client_timer *make(int descriptor, int clock) {
    for (int i = 0; i < CLIENT_TIMERS; i++) {
        int32_t none = 0;
        struct client_timer *timer = &shared->timers[i];
        if (!atomic_compare_exchange_strong(&timer->pid, &none, -1)) continue;
        timer->descriptor = descriptor;
        timer->clock = clock;
        atomic_store(&timer->deadline, NEVER);
        atomic_store(&timer->interval, 0);
        return timer;
    }
    return NULL;
}

static void show(struct client_timer *timer, struct itimerspec *time) {
    int64_t due = atomic_load(&timer->deadline), left = due == NEVER ? 0 : due > now() ? due - now() : 1;
    *time = (struct itimerspec){timespec_of(atomic_load(&timer->interval)), timespec_of(left)};
}

// An interval that can be added to an instant: no more than 146 years.
static int64_t limited(int64_t interval) { return interval < NEVER / 2 ? interval : NEVER / 2; }

static void set(struct client_timer *timer, int is_absolute, const struct itimerspec *time) {
    atomic_store(&timer->interval, limited(nanoseconds(&time->it_interval)));
    int64_t value = nanoseconds(&time->it_value);
    if (value == 0) return;
    atomic_store(&timer->deadline, is_absolute ? instant(timer->clock, &time->it_value) : after(value));
}

REPLACED int timerfd_create(clockid_t clock, int flags) {
    if (!is_virtual() || !is_followed(clock)) return (int)SYSTEM4(SYS_timerfd_create, clock, flags, 0, 0);
    int kind = (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) | (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0);
    int descriptor = (int)SYSTEM4(SYS_eventfd2, 0, kind, 0, 0);
    if (descriptor < 0) return descriptor;
    struct client_timer *timer = make(descriptor, clock);
    if (!timer) {
        SYSTEM4(SYS_close, descriptor, 0, 0, 0);
        errno = EMFILE;
        return -1;
    }
    atomic_store(&has_timers, 1);
    atomic_store(&timer->pid, this_thread()->pid);
    return descriptor;
}

REPLACED int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *old) {
    struct client_timer *timer = is_virtual() ? timer_at(descriptor) : NULL;
    if (!timer) return (int)SYSTEM4(SYS_timerfd_settime, descriptor, flags, time, old);
    if (old) show(timer, old);
    atomic_store(&timer->deadline, NEVER);
    // Expiries of the time before are forgotten.
    struct pollfd place = {descriptor, POLLIN, 0};
    struct timespec zero = {0, 0};
    uint64_t count;
    if (SYSTEM(SYS_ppoll, &place, 1, &zero, NULL, SIGNAL_SET_SIZE, 0) == 1)
        SYSTEM4(SYS_read, descriptor, &count, sizeof count, 0);
    set(timer, flags & TFD_TIMER_ABSTIME, time);
    return 0;
}

REPLACED int timerfd_gettime(int descriptor, struct itimerspec *time) {
    struct client_timer *timer = is_virtual() ? timer_at(descriptor) : NULL;
    if (!timer) return (int)SYSTEM4(SYS_timerfd_gettime, descriptor, time, 0, 0);
    show(timer, time);
    return 0;
}

static void release(struct client_timer *timer) {
    atomic_store(&timer->deadline, NEVER);
    atomic_store(&timer->pid, 0);
}

void forget_timer(int descriptor) {
    struct client_timer *timer = timer_at(descriptor);
    if (timer) release(timer);
}

// MARK: Timers that send signals

// timer_t of a followed timer: its place, below all pointers and above all numbers of the kernel's timers.
static const uintptr_t first_number = 0x4c440000;

static struct client_timer *numbered(timer_t number) {
    uintptr_t place = (uintptr_t)number - first_number;
    return shared && place < CLIENT_TIMERS ? &shared->timers[place] : NULL;
}

REPLACED int timer_create(clockid_t clock, struct sigevent *event, timer_t *number) {
    if (!is_virtual() || !is_followed(clock)) return REAL(timer_create)(clock, event, number);
    int kind = event ? event->sigev_notify : SIGEV_SIGNAL;
    if (kind != SIGEV_SIGNAL && kind != SIGEV_NONE) {
        // Notification by a thread: the coordinator ends the run, and names the process.
        if (process) atomic_fetch_or(&process->notes, CLIENT_THREAD_TIMER);
        return REAL(timer_create)(clock, event, number);
    }
    struct client_timer *timer = make(-1, clock);
    if (!timer) {
        errno = EAGAIN;
        return -1;
    }
    uintptr_t place = (uintptr_t)(timer - shared->timers);
    timer->signal = kind == SIGEV_NONE ? 0 : event ? event->sigev_signo : SIGALRM;
    timer->value = event ? (uint64_t)(uintptr_t)event->sigev_value.sival_ptr : place;
    atomic_store(&timer->overrun, 0);
    atomic_store(&timer->pid, this_thread()->pid);
    *number = (timer_t)(first_number + place);
    return 0;
}

REPLACED int timer_settime(timer_t number, int flags, const struct itimerspec *time, struct itimerspec *old) {
    struct client_timer *timer = numbered(number);
    if (!timer) return REAL(timer_settime)(number, flags, time, old);
    if (old) show(timer, old);
    atomic_store(&timer->deadline, NEVER);
    set(timer, flags & TIMER_ABSTIME, time);
    return 0;
}

REPLACED int timer_gettime(timer_t number, struct itimerspec *time) {
    struct client_timer *timer = numbered(number);
    if (!timer) return REAL(timer_gettime)(number, time);
    show(timer, time);
    return 0;
}

REPLACED int timer_getoverrun(timer_t number) {
    struct client_timer *timer = numbered(number);
    return timer ? atomic_load(&timer->overrun) : REAL(timer_getoverrun)(number);
}

REPLACED int timer_delete(timer_t number) {
    struct client_timer *timer = numbered(number);
    if (!timer) return REAL(timer_delete)(number);
    release(timer);
    return 0;
}

// MARK: The timer of the process

REPLACED int setitimer(__itimer_which_t kind, const struct itimerval *time, struct itimerval *old) {
    if (!is_virtual() || kind != ITIMER_REAL || !process) return (int)SYSTEM4(SYS_setitimer, kind, time, old, 0);
    int64_t due = atomic_load(&process->alarm), interval = atomic_load(&process->alarm_interval);
    int64_t left = due == NEVER ? 0 : due > now() ? due - now() : 1000;
    if (old) *old = (struct itimerval){timeval_of(interval), timeval_of(left)};
    int64_t value = nanoseconds_of(&time->it_value);
    atomic_store(&process->alarm_interval, limited(nanoseconds_of(&time->it_interval)));
    atomic_store(&process->alarm, value ? after(value) : NEVER);
    return 0;
}

REPLACED unsigned alarm(unsigned seconds) {
    struct itimerval time = {{0, 0}, {seconds, 0}}, old = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &time, &old);
    return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}
