#define _GNU_SOURCE
#include "Coordinator.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Finds out that all threads sleep.

static const int64_t second = 1000000000;
// For a process to load the library, while all others sleep.
static const int64_t loading_time = second * 3 / 10;
// Of computing, each time that time follows it.
static const int64_t next_budget = second / 200;

int64_t real_time(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) ? -1 : time.tv_sec * second + time.tv_nsec;
}

struct client_time *client_time_open(const char *path, uint64_t seed, int64_t realtime) {
    struct client_time *it = calloc(1, sizeof *it);
    if (!it) return NULL;
    struct client_time_file *file = MAP_FAILED;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0 && ftruncate(descriptor, sizeof *file) == 0)
        file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    int code = errno;
    if (descriptor >= 0) close(descriptor);
    if (file == MAP_FAILED) {
        if (descriptor >= 0) unlink(path);
        free(it);
        errno = code;
        return NULL;
    }
    *file = (struct client_time_file){
        .size = sizeof *file, .monotonic = 1000 * second, .realtime = realtime, .seed = seed, .now = 1,
        .coordinator = getpid()};
    file->magic = CLIENT_TIME_MAGIC;
    it->file = file;
    snprintf(it->path, sizeof it->path, "%s", path);
    it->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    it->waker = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    it->computed = it->restless_since = -1;
    it->budget = it->first_budget = 2 * second;
    it->longest_halt = 30 * second;
    return it;
}

void client_time_close(struct client_time *it) {
    forget_tasks(it);
    unlink(it->path);
    munmap(it->file, sizeof *it->file);
    close(it->loadavg);
    close(it->waker);
    free(it->tasks);
    free(it->members);
    free(it);
}

void client_time_follow(struct client_time *it, int32_t supervisor) {
    it->supervisor = supervisor;
    it->is_outdated = 1;
    // 0 while a thread is on a run queue; but a kernel may always have 0.  The supervisor soon sleeps.
    struct task task = {supervisor, supervisor, {-1, -1, -1, -1}, 0};
    char text[128];
    for (int i = 0; i < 200 && !it->trusts_wchan; i++) {
        it->trusts_wchan = read_task(&task, TASK_WCHAN, text, sizeof text) > 0 && strcmp(text, "0") != 0;
        if (!it->trusts_wchan) usleep(500);
    }
}

void client_time_hurry(struct client_time *it) {
    it->budget = it->first_budget = second / 2;
    it->longest_halt = second;
}

void client_time_look_slowly(struct client_time *it, int microseconds, bool looks_once) {
    it->pause = microseconds;
    it->looks_once = looks_once;
}

// Looks at each thread.  `is_first`: notes how often it has arrived on a CPU; else compares that.
static int look(struct client_time *it, int is_first) {
    for (int i = 0; i < it->task_count; i++) {
        struct task *task = &it->tasks[i];
        if (it->pause) usleep((useconds_t)it->pause);
        int64_t count = is_first ? arrivals(task) : -1;
        int sleeps = is_asleep(it, task);
        if (sleeps < 0) it->is_outdated = 1;
        if (sleeps != 1) return 0;
        if (is_first) {
            task->arrivals = count;
        } else if (arrivals(task) != task->arrivals) {
            return 0;
        }
    }
    return 1;
}

// Whether each process has the library.  One that had the time to load it is a stranger.
static int have_loaded(struct client_time *it) {
    for (int i = 0; i < it->member_count; i++) {
        struct member *member = &it->members[i];
        if (member->is_supervisor || member->is_stranger) continue;
        struct client_process *process = library_of(it, member->pid);
        int64_t present = real_time(CLOCK_MONOTONIC);
        if (process && process->loaded) {
            member->waits_since = -1;
            continue;
        }
        if (member->waits_since < 0) member->waits_since = present;
        if (present - member->waits_since < loading_time) return 0;
        member->is_stranger = 1;
    }
    return 1;
}

static void find_real_waits(struct client_time *it) {
    for (int i = 0; i < it->task_count; i++) {
        for (int j = 0; j < it->member_count; j++) {
            struct member *member = &it->members[j];
            if (member->pid != it->tasks[i].pid || member->is_supervisor || member->is_stranger) continue;
            int call = real_wait(it, &it->tasks[i]);
            if (call) member->real_wait = call;
        }
    }
}

// The rule: in each of two rounds, each thread sleeps and is on no run queue, and none arrives on a CPU between its
// two looks.
//
// So at the instant between the rounds all slept: one that ran then would have had to arrive before its second look,
// and one that waited for a CPU would still wait.  A sleeper needs somebody awake to wake it, and nobody was.  No
// thread was created either.
static int do_all_sleep(struct client_time *it) {
    char last[32];
    it->counts.looks++;
    if (it->supervisor == 0) return 1;
    read_last_id(it, last);
    if (it->is_outdated || strcmp(last, it->last_id) != 0) scan(it);
    if (!look(it, 1)) return 0;
    if (!it->looks_once && !look(it, 0)) return 0;
    read_last_id(it, last);
    if (strcmp(last, it->last_id) != 0) return 0;
    if (!have_loaded(it)) return 0;
    find_real_waits(it);
    it->counts.sleeps++;
    return 1;
}

static int64_t cpu_time(const struct client_time *it) {
    int64_t sum = 0;
    for (int i = 0; i < it->member_count; i++) {
        int64_t time = it->members[i].has_clock ? real_time(it->members[i].clock) : -1;
        if (time > 0) sum += time;
    }
    return sum;
}

// Whether time has to pass although not all sleep.
static int has_to_creep(struct client_time *it, int64_t present) {
    int64_t sum = cpu_time(it), spent = sum - it->computed;
    if (spent < 0) it->computed = sum;  // a process has ended
    if (spent < it->budget && present - it->restless_since < it->longest_halt) return 0;
    it->computed = sum;
    it->budget = next_budget;
    it->counts.creeps++;
    return 1;
}

enum client_time_state client_time_wait(struct client_time *it, int milliseconds) {
    int64_t begin = real_time(CLOCK_MONOTONIC), last_check = begin;
    if (it->restless_since < 0) it->restless_since = begin;
    for (int round = 0;; round++) {
        uint32_t seen = it->file->hint;
        if (do_all_sleep(it)) {
            it->computed = it->restless_since = -1;
            it->budget = it->first_budget;
            return CLIENT_TIME_SLEEPS;
        }
        int64_t present = real_time(CLOCK_MONOTONIC);
        if (it->computed < 0) it->computed = cpu_time(it);
        if (present - last_check > next_budget) {
            last_check = present;
            if (has_to_creep(it, present)) return CLIENT_TIME_COMPUTES;
        }
        if (present - begin > milliseconds * (second / 1000)) return CLIENT_TIME_RUNS;
        // Until a thread is about to wait, or for a while: not all waits are announced.
        struct timespec pause = {0, round < 4 ? 15000 : round < 20 ? 50000 : round < 100 ? 300000 : 1000000};
        it->file->hint_wanted = 1;
        syscall(SYS_futex, &it->file->hint, FUTEX_WAIT, seen, &pause, NULL, 0);
        it->file->hint_wanted = 0;
    }
}

struct client_time_counts client_time_counts(const struct client_time *it) {
    struct client_time_counts counts = it->counts;
    counts.spins = it->file->spins;
    return counts;
}

const char *client_time_obstacle(void) {
    struct task self = {getpid(), (int32_t)syscall(SYS_gettid), {-1, -1, -1, -1}, 0};
    char text[512];
    if (arrivals(&self) < 0) return "this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO)";
    if (read_task(&self, TASK_STAT, text, sizeof text) <= 0) return "/proc/PID/task cannot be read";
    if (access("/proc/loadavg", R_OK) != 0) return "/proc/loadavg cannot be read";
    return NULL;
}

bool client_time_fix_addresses(void) {
    int present = personality(0xffffffff);
    return present >= 0 && personality((unsigned)present | ADDR_NO_RANDOMIZE) >= 0;
}
