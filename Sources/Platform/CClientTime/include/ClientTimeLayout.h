#ifndef CLIENT_TIME_LAYOUT_H
#define CLIENT_TIME_LAYOUT_H

#include <stdint.h>

// What the coordinator and the library in the clients share: one file in shared memory for each case.
//
// An instant is in nanoseconds of virtual time.  The first one is 1, because a deadline of 0 means that there is no
// wait.

#define CLIENT_TIME_MAGIC 0x4c445401u
#define CLIENT_TIME_NEVER INT64_MAX
// The name of the variable with the path of the file.
#define CLIENT_TIME_VARIABLE "LUBDUB_TIME"

enum { CLIENT_THREADS = 2048, CLIENT_PROCESSES = 512, CLIENT_TIMERS = 1024 };

// A thread that has waited at least once.  It writes `deadline`; the coordinator writes `woken`.
struct client_thread {
    _Atomic int32_t tid;  // 0: free
    _Atomic int32_t pid;
    _Atomic int64_t deadline;     // 0: in no wait; never: in a wait without a limit
    _Atomic uint32_t woken;       // a futex: 1 when the deadline has come
    _Atomic uint32_t has_socket;  // 1: it waits for descriptors, so a datagram wakes it
    _Atomic uint64_t word;        // of its process, if another thread has to wake it: the address, and 1 if private
    char name[12];                // the abstract address of its socket, without the NUL at its beginning
};

// Why a process cannot follow, or talks to others who do not: bits.
enum { CLIENT_OTHER_MACHINE = 1, CLIENT_OTHER_PROCESS = 2, CLIENT_THREAD_TIMER = 4 };

struct client_process {
    _Atomic int32_t pid;      // 0: free
    _Atomic uint32_t loaded;  // 1: the library runs in it; 0: it has called exec
    _Atomic int64_t alarm;    // of alarm(2) and ITIMER_REAL
    _Atomic int64_t alarm_interval;
    uint64_t stream;  // where its random numbers begin
    _Atomic uint32_t notes;
    _Atomic uint32_t wakes;  // a futex, for the thread that wakes others
};

// A timer of a process.  With a descriptor, a waiting thread writes to it when the timer is due; else it sends a
// signal.
struct client_timer {
    _Atomic int32_t pid;  // 0: free; -1: being made
    int32_t descriptor;   // an eventfd; -1: the timer sends a signal
    _Atomic int64_t deadline, interval;
    int32_t clock, signal;
    uint64_t value;  // of the signal
    _Atomic int32_t overrun;
};

struct client_time_file {
    uint32_t magic, size;
    int64_t monotonic, realtime;  // the clocks at instant 0
    int32_t coordinator;          // its process
    uint64_t seed;
    _Atomic int64_t now;
    _Atomic uint32_t hint, hint_wanted;  // a futex: a thread is about to wait
    _Atomic uint32_t ordinal;            // processes so far, for their random numbers
    _Atomic uint64_t spins;              // reads of a clock in busy waits, which became sleeps
    // With charged turns only: when the last one is over (0: turns take no time), and how many have begun.
    _Atomic int64_t busy_until;
    _Atomic uint64_t turns;
    struct client_process processes[CLIENT_PROCESSES];
    struct client_timer timers[CLIENT_TIMERS];
    struct client_thread threads[CLIENT_THREADS];
};

#endif
