#define _GNU_SOURCE
#include "Coordinator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What /proc has of the processes.

enum { TASKS_WITH_OPEN_FILES = 64 };
static const char *const file_names[TASK_FILES] = {"stat", "wchan", "schedstat", "syscall"};

struct listed {
    int32_t pid, parent;
    int is_member, has_ended;
};

static int reread(int descriptor, char *text, size_t size) {
    ssize_t length = pread(descriptor, text, size - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return (int)length;
}

static int open_file(const struct task *task, enum task_file file) {
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", task->pid, task->tid, file_names[file]);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int read_task(const struct task *task, enum task_file file, char *text, size_t size) {
    if (task->files[file] >= 0) return reread(task->files[file], text, size);
    int descriptor = open_file(task, file);
    if (descriptor < 0) return -1;
    int length = reread(descriptor, text, size);
    close(descriptor);
    return length;
}

// The id that the kernel has given last: the same if no process or thread was created meanwhile.
void read_last_id(struct client_time *it, char id[32]) {
    char line[128];
    reread(it->loadavg, line, sizeof line);
    const char *space = strrchr(line, ' ');
    snprintf(id, 32, "%s", space ? space + 1 : "");
}

static char state_and_parent(const char *stat, int32_t *parent) {
    const char *end = strrchr(stat, ')');  // a name may contain anything
    char state = '?';
    if (end) sscanf(end + 2, "%c %d", &state, parent);
    return state;
}

int64_t arrivals(const struct task *task) {
    char text[96];
    long long count = -1;
    if (read_task(task, TASK_SCHEDSTAT, text, sizeof text) > 0) sscanf(text, "%*u %*u %lld", &count);
    return count;
}

int is_asleep(const struct client_time *it, const struct task *task) {
    char text[512];
    int32_t parent;
    int is_queued = 0;
    if (it->trusts_wchan) {
        if (read_task(task, TASK_WCHAN, text, sizeof text) <= 0) return -1;
        is_queued = strcmp(text, "0") == 0;
    }
    if (read_task(task, TASK_STAT, text, sizeof text) <= 0) return -1;
    // Not D (a disk, vfork), and not T or t (a debugger): time waits for them.
    char state = state_and_parent(text, &parent);
    if (state == 'Z' || state == 'X') return -1;
    return state == 'S' && !is_queued;
}

struct client_process *library_of(struct client_time *it, int32_t pid) {
    for (int i = 0; i < CLIENT_PROCESSES; i++)
        if (it->file->processes[i].pid == pid) return &it->file->processes[i];
    return NULL;
}

void forget_tasks(struct client_time *it) {
    for (int i = 0; i < it->task_count; i++)
        for (int file = 0; file < TASK_FILES; file++)
            if (it->tasks[i].files[file] >= 0) close(it->tasks[i].files[file]);
    it->task_count = 0;
}

static void *room_for(void *list, int count, int *room, size_t size) {
    if (count < *room) return list;
    *room = *room ? *room * 2 : 64;
    list = realloc(list, (size_t)*room * size);
    if (!list) abort();
    return list;
}

static struct listed *list_processes(int *count) {
    struct listed *all = NULL;
    int room = 0;
    *count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int32_t pid = atoi(entry->d_name), parent = 0;
        struct task first = {pid, pid, {-1, -1, -1, -1}, 0};
        char text[512];
        if (pid <= 0 || read_task(&first, TASK_STAT, text, sizeof text) <= 0) continue;
        char state = state_and_parent(text, &parent);
        all = room_for(all, *count, &room, sizeof *all);
        all[(*count)++] = (struct listed){pid, parent, 0, state == 'Z' || state == 'X'};
    }
    if (folder) closedir(folder);
    return all;
}

static void mark_members(struct listed *all, int count, int32_t root) {
    for (int i = 0; i < count; i++) all[i].is_member = all[i].pid == root;
    for (int has_changed = 1; has_changed;) {
        has_changed = 0;
        for (int i = 0; i < count; i++) {
            if (!all[i].is_member) continue;
            for (int j = 0; j < count; j++)
                if (!all[j].is_member && all[j].parent == all[i].pid) all[j].is_member = has_changed = 1;
        }
    }
}

static void add_tasks(struct client_time *it, int32_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int32_t tid = atoi(entry->d_name);
        if (tid <= 0) continue;
        it->tasks = room_for(it->tasks, it->task_count, &it->task_room, sizeof *it->tasks);
        struct task task = {pid, tid, {-1, -1, -1, -1}, -1};
        for (int file = 0; file < TASK_FILES && it->task_count < TASKS_WITH_OPEN_FILES; file++)
            task.files[file] = open_file(&task, file);
        it->tasks[it->task_count++] = task;
    }
    if (folder) closedir(folder);
}

// Frees what ended processes have left in the file.
static void bury(struct client_time *it, const struct listed *all, int count) {
    for (int i = 0; i < CLIENT_PROCESSES; i++) {
        struct client_process *process = &it->file->processes[i];
        int32_t pid = process->pid;
        // Not all that are missing in the list have ended: it may be older.
        int has_ended = pid != 0 && kill(pid, 0) != 0 && errno == ESRCH;
        for (int j = 0; j < count; j++) has_ended |= pid != 0 && all[j].pid == pid && all[j].has_ended;
        if (!has_ended) continue;
        for (int j = 0; j < CLIENT_THREADS; j++) {
            if (it->file->threads[j].pid != pid) continue;
            it->file->threads[j].deadline = 0;
            it->file->threads[j].word = 0;
            it->file->threads[j].pid = 0;
            it->file->threads[j].tid = 0;
        }
        for (int j = 0; j < CLIENT_TIMERS; j++)
            if (it->file->timers[j].pid == pid) it->file->timers[j].pid = 0;
        process->alarm = CLIENT_TIME_NEVER;
        process->stream = 0;
        process->loaded = process->notes = 0;
        process->pid = 0;
    }
}

void scan(struct client_time *it) {
    struct member *old = it->members;
    int old_count = it->member_count, count;
    it->counts.scans++;
    read_last_id(it, it->last_id);
    forget_tasks(it);
    it->members = NULL;
    it->member_count = it->member_room = it->is_outdated = 0;
    struct listed *all = list_processes(&count);
    mark_members(all, count, it->supervisor);
    for (int i = 0; i < count; i++) {
        if (!all[i].is_member || all[i].has_ended) continue;
        it->members = room_for(it->members, it->member_count, &it->member_room, sizeof *it->members);
        struct member *member = &it->members[it->member_count++];
        *member = (struct member){.pid = all[i].pid, .waits_since = real_time(CLOCK_MONOTONIC)};
        for (int j = 0; j < old_count; j++)
            if (old[j].pid == member->pid) *member = old[j];
        member->is_supervisor = member->pid == it->supervisor || all[i].parent == it->supervisor;
        // On failure the clock would be 0, which is CLOCK_REALTIME.
        member->has_clock = !member->is_supervisor && clock_getcpuclockid(member->pid, &member->clock) == 0;
        int before = it->task_count;
        add_tasks(it, member->pid);
        if (it->task_count == before) it->member_count--;  // it has ended meanwhile
    }
    bury(it, all, count);
    free(all);
    free(old);
}
