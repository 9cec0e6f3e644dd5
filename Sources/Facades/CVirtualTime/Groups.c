#include "Internal.h"

#include <stdlib.h>

// Groups of libdispatch: time waits for their work, and for what is to be notified when a group is empty; it passes while a
// thread waits for a group.

void dispatch_group_async(void *group, void *queue, void *block);
void dispatch_group_notify(void *group, void *queue, void *block);
void dispatch_group_enter(void *group);
void dispatch_group_leave(void *group);
long dispatch_group_wait(void *group, uint64_t timeout);
void dispatch_group_notify_f(void *group, void *queue, void *context, Function function);
void dispatch_async_f(void *queue, void *context, Function function);
void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
void *dispatch_semaphore_create(intptr_t value);
long dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
long dispatch_semaphore_signal(void *semaphore);
void dispatch_retain(void *object);
void dispatch_release(void *object);

// MARK: Work

// Work of a group, which leaves the group when it has ended.
typedef struct {
    void *group, *block;
} Member;

static void run_member(void *pointer) {
    Member member = *(Member *)pointer;
    free(pointer);
    virtual_time_call_block(member.block);
    dispatch_group_leave(member.group);
    dispatch_release(member.group);
}

void dispatch_group_async(void *group, void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_group_async)) original;
    if (!original) original = REAL(dispatch_group_async);
    if (!virtual_time_follows()) return original(group, queue, block);
    Member *member = malloc(sizeof *member);
    if (!member) abort();
    member->group = group, member->block = _Block_copy(block);
    dispatch_retain(group);
    dispatch_group_enter(group);
    dispatch_async_f(queue, member, run_member);
}

// MARK: Notifications

// A function to call when a group is empty; it is counted from then on.
typedef struct Notification {
    void *group, *context;
    Function function;
    bool is_counted;
    struct Notification *next;
} Notification;

static _Atomic(Notification *) notifications;

// Counts the notifications of a group if it is empty: libdispatch has submitted them.
static void count_notifications(void *group) {
    pthread_mutex_lock(&virtual_time_mutex);
    bool is_empty = dispatch_group_wait(group, 0) == 0;
    for (Notification *waiting = notifications; is_empty && waiting; waiting = waiting->next) {
        if (waiting->group != group || waiting->is_counted) continue;
        waiting->is_counted = true;
        virtual_time_count();
    }
    pthread_mutex_unlock(&virtual_time_mutex);
}

static void notify(void *pointer) {
    Notification *notification = pointer;
    pthread_mutex_lock(&virtual_time_mutex);
    if (notifications == notification) {
        notifications = notification->next;
    } else {
        Notification *before = notifications;
        while (before->next != notification) before = before->next;
        before->next = notification->next;
    }
    if (!notification->is_counted) virtual_time_count();
    pthread_mutex_unlock(&virtual_time_mutex);
    virtual_time_enter();
    notification->function(notification->context);
    virtual_time_leave();
    free(notification);
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_end_work();
    pthread_mutex_unlock(&virtual_time_mutex);
}

static void add_notification(void *group, void *queue, void *context, Function function) {
    Notification *notification = malloc(sizeof *notification);
    if (!notification) abort();
    *notification = (Notification){.group = group, .context = context, .function = function};
    pthread_mutex_lock(&virtual_time_mutex);
    notification->next = notifications;
    notifications = notification;
    dispatch_group_notify_f(group, queue, notification, notify);
    pthread_mutex_unlock(&virtual_time_mutex);
    count_notifications(group);
}

void dispatch_group_notify(void *group, void *queue, void *block) {
    static _Atomic(__typeof__(&dispatch_group_notify)) original;
    if (!original) original = REAL(dispatch_group_notify);
    if (!virtual_time_follows()) return original(group, queue, block);
    add_notification(group, queue, _Block_copy(block), virtual_time_call_block);
}

static void signal_empty(void *semaphore) {
    dispatch_semaphore_signal(semaphore);
    dispatch_release(semaphore);
}

long dispatch_group_wait(void *group, uint64_t timeout) {
    static _Atomic(__typeof__(&dispatch_group_wait)) original;
    if (!original) original = REAL(dispatch_group_wait);
    if (!virtual_time_follows() || timeout == 0) return original(group, timeout);
    void *semaphore = dispatch_semaphore_create(0);
    if (!semaphore) abort();
    dispatch_retain(semaphore);
    add_notification(group, dispatch_get_global_queue(0, 0), semaphore, signal_empty);
    long result = dispatch_semaphore_wait(semaphore, timeout);
    dispatch_release(semaphore);
    return result;
}

void dispatch_group_leave(void *group) {
    static _Atomic(__typeof__(&dispatch_group_leave)) original;
    if (!original) original = REAL(dispatch_group_leave);
    if (!notifications) return original(group);
    dispatch_retain(group);
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_count();
    pthread_mutex_unlock(&virtual_time_mutex);
    original(group);
    count_notifications(group);
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_uncount();
    pthread_mutex_unlock(&virtual_time_mutex);
    dispatch_release(group);
}
