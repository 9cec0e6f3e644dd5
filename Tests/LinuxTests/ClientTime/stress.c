#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// Many threads wait at the same time, in each way: each wait must end exactly when it should, whether it has a limit
// or somebody wakes the thread.  Prints how many did not, and the milliseconds of all.   stress THREADS ROUNDS

enum { MOST = 1000 };
struct place {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    sem_t semaphore;
    int descriptor, is_set;
};
static struct place places[MOST];
static int threads, rounds;
static _Atomic int wrong;
static pthread_barrier_t barrier;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

static struct timespec wall_in(int64_t nanoseconds) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return timespec_of(t.tv_sec * 1000000000ll + t.tv_nsec + nanoseconds);
}

// Nobody wakes this thread: the limit ends the wait.
static void wait_for_nothing(struct place *it, int kind, int64_t delay) {
    struct timespec relative = timespec_of(delay), limit = wall_in(delay);
    struct pollfd none = {it->descriptor, POLLIN, 0};
    switch (kind) {
    case 0: nanosleep(&relative, NULL); break;
    case 1: wrong += sem_timedwait(&it->semaphore, &limit) == 0 || errno != ETIMEDOUT; break;
    case 2: wrong += ppoll(&none, 1, &relative, NULL) != 0; break;
    default:
        pthread_mutex_lock(&it->mutex);
        wrong += pthread_cond_timedwait(&it->condition, &it->mutex, &limit) != ETIMEDOUT;
        pthread_mutex_unlock(&it->mutex);
    }
}

// Another thread wakes this one long before the limit.
static void wait_for_other(struct place *it, int kind) {
    struct timespec limit = wall_in(3600000000000);
    struct pollfd place = {it->descriptor, POLLIN, 0};
    uint64_t number;
    switch (kind) {
    case 3: wrong += sem_timedwait(&it->semaphore, &limit) != 0; break;
    case 4: wrong += poll(&place, 1, 3600000) != 1 || read(it->descriptor, &number, 8) != 8; break;
    default:
        pthread_mutex_lock(&it->mutex);
        while (!it->is_set) pthread_cond_timedwait(&it->condition, &it->mutex, &limit);
        it->is_set = 0;
        pthread_mutex_unlock(&it->mutex);
    }
}

static void wake(struct place *it, int kind) {
    uint64_t one = 1;
    switch (kind) {
    case 3: sem_post(&it->semaphore); break;
    case 4: wrong += write(it->descriptor, &one, 8) != 8; break;
    default:
        pthread_mutex_lock(&it->mutex);
        it->is_set = 1;
        pthread_cond_signal(&it->condition);
        pthread_mutex_unlock(&it->mutex);
    }
}

// In each round half of the threads sleep, each for another time, and then wake one of the other half.
static void *play(void *number) {
    int own = (int)(intptr_t)number, partner = own ^ 1;
    struct place *it = &places[own];
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        int64_t begin = now(), delay = 1000000ll + ((own / 2 * 7919 + round * 104729) % 5000) * 1000;
        int kind = (own / 2 + round) % 3;
        if ((own + round) % 2) {
            wait_for_nothing(it, own % 4, delay);
            wake(&places[partner], kind + 3);
        } else {
            wait_for_other(it, kind + 3);
        }
        wrong += now() - begin != delay;
    }
    return NULL;
}

int main(int count, char **words) {
    threads = count > 2 ? atoi(words[1]) / 2 * 2 : 0;
    if (threads < 2 || threads > MOST) return 2;
    rounds = atoi(words[2]);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    pthread_t all[MOST];
    for (int i = 0; i < threads; i++) {
        pthread_mutex_init(&places[i].mutex, NULL);
        pthread_cond_init(&places[i].condition, NULL);
        sem_init(&places[i].semaphore, 0, 0);
        places[i].descriptor = eventfd(0, 0);
    }
    int64_t begin = now();
    for (int i = 0; i < threads; i++) pthread_create(&all[i], NULL, play, (void *)(intptr_t)i);
    for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
    printf("%d %lld\n", wrong, (long long)(now() - begin) / 1000000);
    return 0;
}
