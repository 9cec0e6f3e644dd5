#ifndef COORDINATOR_H
#define COORDINATOR_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "CClientTime.h"
#include "ClientTimeLayout.h"

// What /proc has of a thread.
enum task_file { TASK_STAT, TASK_WCHAN, TASK_SCHEDSTAT, TASK_SYSCALL, TASK_FILES };

struct task {
    int32_t pid, tid;
    int files[TASK_FILES];  // open for the first threads only
    int64_t arrivals;       // on a CPU
};

struct member {
    int32_t pid;
    int is_supervisor;
    int has_clock;
    clockid_t clock;   // of its CPU time
    int64_t waits_since;  // for the library, in real time; -1: it has it
    int is_stranger;
    int real_wait;  // the system call in which it waits for real time
};

struct client_time {
    struct client_time_file *file;
    char path[256];
    int32_t supervisor;  // 0: there are no processes
    int loadavg, waker;
    int trusts_wchan;
    int pause, looks_once;  // for tests
    int is_outdated;  // a thread of the list has ended
    char last_id[32];
    struct task *tasks;
    int task_count, task_room;
    struct member *members;
    int member_count, member_room;
    const struct client_thread *woken;  // last, and when
    int64_t woken_at;
    int64_t computed, budget;    // CPU time since the processes last slept
    int64_t first_budget;        // of it, before time follows it
    int64_t longest_halt;        // of a process that neither sleeps nor computes: it is stopped, or hangs in the kernel
    int64_t restless_since;      // in real time; -1: they sleep
    struct client_time_counts counts;
};

int64_t real_time(clockid_t);
// Processes.c
void read_last_id(struct client_time *, char id[32]);
// Lists the threads of all processes.
void scan(struct client_time *);
void forget_tasks(struct client_time *);
int read_task(const struct task *, enum task_file, char *text, size_t size);
// 1: it sleeps, and is on no run queue; 0: it does not; -1: it has ended.
int is_asleep(const struct client_time *, const struct task *);
int64_t arrivals(const struct task *);
struct client_process *library_of(struct client_time *, int32_t pid);
// Strangers.c
int real_wait(const struct client_time *, const struct task *);

#endif
