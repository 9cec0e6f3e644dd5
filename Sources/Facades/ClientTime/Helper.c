#include "Internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>

// Waits for a word where futex_waitv(2) is forbidden, or not known (before Linux 5.16): a thread can wait for one word
// only, and the coordinator cannot reach it.  So another thread of the process wakes the waiting one when the
// coordinator says so.
//
// A wait in short steps of real time would be wrong: it ends although nobody was awake to end it, so time could pass
// while the thread runs.

static _Atomic int has_helper;
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void *help(void *nothing) {
    for (;;) {
        uint32_t seen = atomic_load(&process->wakes);
        for (int i = 0; i < CLIENT_THREADS; i++) {
            struct client_thread *thread = &shared->threads[i];
            uint64_t word = atomic_load(&thread->word);
            if (!word || !atomic_load(&thread->woken) || atomic_load(&thread->pid) != process->pid) continue;
            // It wakes others that wait for the same word, too: each of them looks why, and waits again.
            int scope = word & 1 ? FUTEX_PRIVATE_FLAG : 0;
            SYSTEM4(SYS_futex, word & ~(uint64_t)1, FUTEX_WAKE | scope, INT_MAX, 0);
        }
        SYSTEM4(SYS_futex, &process->wakes, FUTEX_WAIT, seen, 0);
    }
    return nothing;
}

static void start_helper(void) {
    pthread_mutex_lock(&starting);
    if (!atomic_load(&has_helper)) {
        // Signals are for the client's threads.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_t helper;
        int code = REAL(pthread_create)(&helper, NULL, help, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (code) {
            complain("liblubdubtime: no thread for waits with limits\n");
            abort();
        }
        pthread_detach(helper);
        atomic_store(&has_helper, 1);
    }
    pthread_mutex_unlock(&starting);
}

void forget_helper(void) {
    atomic_store(&has_helper, 0);
    pthread_mutex_init(&starting, NULL);
}

long wait_with_helper(void *word, uint32_t value, int is_private) {
    if (!process) return -1;
    if (!atomic_load(&has_helper)) start_helper();
    struct client_thread *thread = this_thread();
    uint64_t outer = atomic_exchange(&thread->word, (uintptr_t)word | (is_private ? 1 : 0));
    // With a limit, a signal always interrupts the wait, also with SA_RESTART.
    struct timespec years = {SECOND, 0};
    long result = SYSTEM4(SYS_futex, word, FUTEX_WAIT | (is_private ? FUTEX_PRIVATE_FLAG : 0), value, &years);
    int code = errno;
    atomic_store(&thread->word, outer);
    errno = code;
    return result == 0 && atomic_load(&thread->woken) ? 1 : result;
}
