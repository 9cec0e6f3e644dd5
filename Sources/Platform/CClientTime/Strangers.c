#define _GNU_SOURCE
#include "Coordinator.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Who cannot follow virtual time, and who is no client.

static int is_in_library(const struct client_time *it, int32_t tid) {
    for (int i = 0; i < CLIENT_THREADS; i++)
        if (it->file->threads[i].tid == tid && it->file->threads[i].deadline) return 1;
    return 0;
}

// The number of the system call in which a thread waits with a limit of real time, past the library; 0 if it does
// not, or if the kernel does not tell.
int real_wait(const struct client_time *it, const struct task *task) {
    if (is_in_library(it, task->tid)) return 0;
    char text[256];
    int call = 0;
    unsigned long a[5] = {0};
    if (read_task(task, TASK_SYSCALL, text, sizeof text) <= 0) return 0;
    if (sscanf(text, "%d %lx %lx %lx %lx %lx", &call, a, a + 1, a + 2, a + 3, a + 4) < 6) return 0;
    int command = (int)a[1] & FUTEX_CMD_MASK;
    switch (call) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep: return call;
#ifdef SYS_poll
    case SYS_poll: return (int)a[2] > 0 ? call : 0;
    case SYS_epoll_wait: return (int)a[3] > 0 ? call : 0;
    case SYS_select: return a[4] ? call : 0;
#endif
    case SYS_epoll_pwait: return (int)a[3] > 0 ? call : 0;
    case SYS_ppoll:
    case SYS_rt_sigtimedwait: return a[2] ? call : 0;
    case SYS_pselect6: return a[4] ? call : 0;
    case SYS_semtimedop: return a[3] ? call : 0;
    case SYS_futex: return a[3] && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) ? call : 0;
    default: return 0;
    }
}

// What a program lacks.
static const char *lack(const char *path) {
    Elf64_Ehdr head;
    Elf64_Phdr part;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC), is_dynamic = 0;
    if (descriptor < 0 && errno != EACCES && errno != EPERM) return "ended before it had loaded liblubdubtime.so";
    if (descriptor < 0) return "belongs to another user";
    ssize_t length = pread(descriptor, &head, sizeof head, 0);
    int is_program = length == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    for (int i = 0; is_program && i < head.e_phnum; i++) {
        off_t place = (off_t)(head.e_phoff + (size_t)i * head.e_phentsize);
        if (pread(descriptor, &part, sizeof part, place) == sizeof part && part.p_type == PT_INTERP) is_dynamic = 1;
    }
    close(descriptor);
    if (is_program && !is_dynamic) return "is statically linked";
    return "has not loaded liblubdubtime.so (it is set-user-ID, uses another libc, or its LD_PRELOAD was removed)";
}

bool client_time_stranger(struct client_time *it, char *text, size_t size) {
    for (int i = 0; i < it->member_count; i++) {
        const struct member *member = &it->members[i];
        const struct client_process *process = library_of(it, member->pid);
        int has_thread_timer = process && process->notes & CLIENT_THREAD_TIMER;
        if (!member->is_stranger && !member->real_wait && !has_thread_timer) continue;
        char path[64], program[256], why[160];
        snprintf(path, sizeof path, "/proc/%d/exe", member->pid);
        ssize_t length = readlink(path, program, sizeof program - 1);
        program[length > 0 ? length : 0] = 0;
        if (member->is_stranger) {
            snprintf(why, sizeof why, "%s", lack(path));
        } else if (has_thread_timer) {
            snprintf(why, sizeof why, "uses timer_create(2) with a thread");
        } else {
            snprintf(why, sizeof why, "waits in system call %d, past libc", member->real_wait);
        }
        const char *separator = length > 0 ? ", " : "";
        snprintf(text, size, "process %d%s%s, %s", member->pid, separator, program, why);
        return true;
    }
    return false;
}

bool client_time_neighbour(struct client_time *it, char *text, size_t size) {
    for (int i = 0; i < CLIENT_PROCESSES; i++) {
        const struct client_process *process = &it->file->processes[i];
        uint32_t notes = process->notes & (CLIENT_OTHER_MACHINE | CLIENT_OTHER_PROCESS);
        if (!process->pid || !notes) continue;
        const char *whom = "a program that the client has not started";
        if (notes & CLIENT_OTHER_MACHINE) whom = "another machine";
        snprintf(text, size, "process %d has connected to %s", process->pid, whom);
        return true;
    }
    return false;
}
