#ifndef CLIENT_TIME_INTERNAL_H
#define CLIENT_TIME_INTERNAL_H

// liblubdubtime.so: virtual time for a process that knows nothing of it (LD_PRELOAD).
//
// The clock is in shared memory, and moves only when the coordinator moves it.  A wait with a limit writes its deadline
// there, waits without a limit for what it waits for or to be woken by the coordinator, and looks at the clock again.
// Waits without a limit need no code here: the coordinator sees in /proc that the thread sleeps.

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#include "ClientTimeLayout.h"

// A function of libc that this library replaces.
#define REPLACED __attribute__((visibility("default")))
// The function of libc behind a replaced one.
#define REAL(name)                                             \
    ({                                                         \
        static __typeof__(&name) found;                        \
        if (!found) found = (__typeof__(&name))next_symbol(#name); \
        found;                                                 \
    })
#define PER_THREAD __thread __attribute__((tls_model("initial-exec")))
// A system call, past the replaced functions: -1 and errno on failure.
#define SYSTEM(number, a, b, c, d, e, f) \
    system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define SYSTEM4(number, a, b, c, d) SYSTEM(number, a, b, c, d, 0, 0)

enum { SECOND = 1000000000, MILLISECOND = 1000000, SIGNAL_SET_SIZE = 8 };
#define NEVER CLIENT_TIME_NEVER

extern struct client_time_file *shared;   // NULL: the process is in real time
extern struct client_process *process;    // NULL: there was no room for it
extern PER_THREAD uint64_t random_state;  // of this thread's random numbers

void *next_symbol(const char *name);
long system_call(long number, long a, long b, long c, long d, long e, long f);

// Process.c: whether this process is in virtual time.
int is_virtual(void);
struct client_thread *this_thread(void);
int32_t process_number(void);
// The place of a process; a free one becomes its own. NULL: there is no room.
struct client_process *place_of(int32_t pid);
void complain(const char *text);

// Random.c: the stream of the next thread or process that this thread makes.
uint64_t next_stream(void);
uint64_t mix(uint64_t);
void restart_stream(uint64_t stream);
void skip_stream(void);

// Clocks.c
int64_t now(void);
int64_t after(int64_t delay);
int64_t nanoseconds(const struct timespec *);
int64_t nanoseconds_of(const struct timeval *);
struct timespec timespec_of(int64_t nanoseconds);
struct timeval timeval_of(int64_t nanoseconds);
int is_followed(clockid_t);
// The instant of an absolute time of a clock.
int64_t instant(clockid_t, const struct timespec *);
// Counts a look at the clock, or a wait of no time; in a busy wait it is a short sleep.
void count_look(void);

// Waiting.c
void close_wake_socket(void);
// Tells the coordinator that this thread is about to wait.
void hint(void);
// Waits until an instant: 0, or -1 after a signal.
int sleep_until(int64_t deadline);
// The same, between two steps of a wait: no turn begins after it.
int pause_until(int64_t deadline);
// Waits while a word has a value: 0, or -1 with ETIMEDOUT, EAGAIN or EINTR.
int wait_on(void *word, uint32_t value, int is_private, int64_t deadline);
// ppoll(2) until a deadline.  The last of `count` elements must be free for the socket that wakes this thread.
int poll_until(struct pollfd *, nfds_t count, int64_t deadline, const sigset_t *);

// Turns.c
// Begins a turn: a wait is over.  If the turns before it still take time, it first waits for that.
void begin_turn(void);

// Helper.c: where futex_waitv(2) is not there.
// Waits while a word has a value: 0, 1 if the deadline has come, or -1 with EAGAIN or EINTR.
long wait_with_helper(void *word, uint32_t value, int is_private);
// In a child, which does not have the threads of its parent.
void forget_helper(void);

// Timers.c
// Makes due timers of this process readable.
void fire_timers(void);
int is_timer(int descriptor);
void forget_timer(int descriptor);

#endif
