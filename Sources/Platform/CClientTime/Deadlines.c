#define _GNU_SOURCE
#include "Coordinator.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// The deadlines of the processes, and the clock.

// A thread of a process that waits for descriptors; NULL if none does.
static struct client_thread *waiting_for_descriptors(struct client_time *it, int32_t pid) {
    for (int i = 0; i < CLIENT_THREADS; i++) {
        struct client_thread *thread = &it->file->threads[i];
        if (thread->tid && thread->pid == pid && thread->deadline && thread->has_socket) return thread;
    }
    return NULL;
}

// Whether a timer can fire: one with a descriptor needs a thread that writes to it.
static int can_fire(struct client_time *it, const struct client_timer *timer) {
    if (timer->pid <= 0) return 0;
    return timer->descriptor < 0 || waiting_for_descriptors(it, timer->pid);
}

int64_t client_time_next(struct client_time *it) {
    const struct client_time_file *file = it->file;
    int64_t first = CLIENT_TIME_NEVER;
    for (int i = 0; i < CLIENT_THREADS; i++) {
        int64_t deadline = file->threads[i].deadline;
        if (file->threads[i].tid && deadline && deadline < first) first = deadline;
    }
    for (int i = 0; i < CLIENT_TIMERS; i++) {
        int64_t deadline = file->timers[i].deadline;
        if (file->timers[i].pid > 0 && deadline < first && can_fire(it, &file->timers[i])) first = deadline;
    }
    for (int i = 0; i < CLIENT_PROCESSES; i++)
        if (file->processes[i].pid && file->processes[i].alarm < first) first = file->processes[i].alarm;
    return first;
}

void client_time_set(struct client_time *it, int64_t now) {
    if (now > it->file->now) it->file->now = now;
}

static void wake_helper(struct client_process *process) {
    if (!process) return;
    process->wakes++;
    syscall(SYS_futex, &process->wakes, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wake_thread(struct client_time *it, struct client_thread *thread) {
    // It has not taken what it was woken for at this instant: has its process ended?
    if (it->woken == thread && it->woken_at == it->file->now) it->is_outdated = 1;
    it->woken = thread;
    it->woken_at = it->file->now;
    thread->woken = 1;
    // And below: a handler of a signal may have begun another wait.
    if (thread->word) wake_helper(library_of(it, thread->pid));
    if (!thread->has_socket) {
        syscall(SYS_futex, &thread->woken, FUTEX_WAKE, 1, NULL, NULL, 0);
        return;
    }
    struct sockaddr_un to = {AF_UNIX, ""};
    size_t length = strnlen(thread->name, sizeof thread->name);
    memcpy(to.sun_path + 1, thread->name, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    sendto(it->waker, "t", 1, 0, (void *)&to, size);
}

static void send_alarm(struct client_process *process) {
    process->alarm = process->alarm_interval ? process->alarm + process->alarm_interval : CLIENT_TIME_NEVER;
    kill(process->pid, SIGALRM);
}

static void send_signal_of(struct client_timer *timer, int64_t now) {
    int64_t due = timer->deadline, interval = timer->interval;
    int64_t missed = interval ? (now - due) / interval : 0;
    timer->deadline = interval ? due + (missed + 1) * interval : CLIENT_TIME_NEVER;
    timer->overrun = (int32_t)missed;
    if (!timer->signal) return;
    siginfo_t information;
    memset(&information, 0, sizeof information);
    information.si_signo = timer->signal;
    information.si_code = SI_TIMER;
    information.si_value.sival_ptr = (void *)(uintptr_t)timer->value;
    syscall(SYS_rt_sigqueueinfo, timer->pid, timer->signal, &information);
}

// One thread at a time, the earliest deadline first, then the lowest id: so what several do at one instant has one
// order.
bool client_time_wake(struct client_time *it) {
    struct client_time_file *file = it->file;
    int64_t now = file->now, due = client_time_next(it);
    if (due > now) return false;
    it->counts.wakes++;
    for (int i = 0; i < CLIENT_PROCESSES; i++) {
        if (!file->processes[i].pid || file->processes[i].alarm != due) continue;
        send_alarm(&file->processes[i]);
        return true;
    }
    for (int i = 0; i < CLIENT_TIMERS; i++) {
        struct client_timer *timer = &file->timers[i];
        if (timer->deadline != due || !can_fire(it, timer)) continue;
        if (timer->descriptor < 0) {
            send_signal_of(timer, now);
        } else {
            wake_thread(it, waiting_for_descriptors(it, timer->pid));
        }
        return true;
    }
    struct client_thread *first = NULL;
    for (int i = 0; i < CLIENT_THREADS; i++) {
        struct client_thread *thread = &file->threads[i];
        if (thread->tid && thread->deadline == due && (!first || thread->tid < first->tid)) first = thread;
    }
    if (first) wake_thread(it, first);
    return true;
}

void client_time_charge_turns(struct client_time *it) { it->file->busy_until = -1; }

uint64_t client_time_turns(const struct client_time *it) { return it->file->turns; }

void client_time_be_busy(struct client_time *it, int64_t until) { it->file->busy_until = until; }
