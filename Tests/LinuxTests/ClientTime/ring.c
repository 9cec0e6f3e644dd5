#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// A token goes round a ring of threads or processes.  None of them waits for time, so a lap of 20 rounds takes no
// virtual time.
//
// Another thread sleeps 100 µs, again and again: if the coordinator believes once that all sleep while the token is
// under way, the clock moves, and the lap is counted.   ring KIND THREADS|PROCESSES LAPS

enum { NODES = 5, ROUNDS = 20 };
static int in[NODES], out[NODES], turn = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[NODES];
static sem_t semaphores[NODES];
static int has_conditions, has_semaphores, has_limits, has_counters;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static struct timespec in_an_hour(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 3600;
    return t;
}

static void rest(long nanoseconds) {
    struct timespec t = {0, nanoseconds};
    nanosleep(&t, NULL);
}

static void take(int node) {
    struct timespec limit = has_limits ? in_an_hour() : (struct timespec){0, 0};
    if (has_conditions) {
        pthread_mutex_lock(&mutex);
        while (turn != node) {
            if (has_limits) pthread_cond_timedwait(&conditions[node], &mutex, &limit);
            else pthread_cond_wait(&conditions[node], &mutex);
        }
        pthread_mutex_unlock(&mutex);
    } else if (has_semaphores) {
        while (has_limits ? sem_timedwait(&semaphores[node], &limit) : sem_wait(&semaphores[node])) {}
    } else {
        uint64_t token;
        struct pollfd place = {in[node], POLLIN, 0};
        while (has_limits && poll(&place, 1, 3600000) != 1) {}
        if (read(in[node], &token, has_counters ? 8 : 1) <= 0) exit(3);
    }
}

static void give(int node) {
    int next = (node + 1) % NODES;
    uint64_t token = 1;
    if (has_conditions) {
        pthread_mutex_lock(&mutex);
        turn = next;
        pthread_cond_signal(&conditions[next]);
        pthread_mutex_unlock(&mutex);
    } else if (has_semaphores) {
        sem_post(&semaphores[next]);
    } else if (write(out[node], &token, has_counters ? 8 : 1) <= 0) {
        exit(3);
    }
}

static void *pass_on(void *node) {
    for (;;) {
        take((int)(intptr_t)node);
        give((int)(intptr_t)node);
    }
    return NULL;
}

static void *sleep_always(void *nothing) {
    (void)nothing;
    for (;;) rest(100000);
    return NULL;
}

static void start(void *(*body)(void *), intptr_t argument, int in_process) {
    pthread_t thread;
    if (!in_process) {
        pthread_create(&thread, NULL, body, (void *)argument);
    } else if (fork() == 0) {
        body((void *)argument);
        exit(0);
    }
}

static void connect_nodes(const char *kind) {
    for (int node = 0; node < NODES; node++) {
        int ends[2];
        pthread_cond_init(&conditions[node], NULL);
        sem_init(&semaphores[node], 0, 0);
        if (has_counters) ends[0] = ends[1] = eventfd(0, 0);
        else if (strcmp(kind, "socket") == 0) socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        else if (pipe(ends)) exit(3);
        in[(node + 1) % NODES] = ends[0];
        out[node] = ends[1];
    }
}

int main(int count, char **words) {
    if (count < 4) return 2;
    const char *kind = words[1];
    int in_processes = words[2][0] == 'P', laps = atoi(words[3]), wrong = 0;
    has_conditions = strstr(kind, "condition") != NULL;
    has_semaphores = strstr(kind, "semaphore") != NULL;
    has_limits = strstr(kind, "limit") != NULL;
    has_counters = strcmp(kind, "counter") == 0;
    connect_nodes(kind);
    start(sleep_always, 0, in_processes);
    for (int node = 1; node < NODES; node++) start(pass_on, node, in_processes);
    for (int lap = 0; lap < laps; lap++) {
        rest(50000);
        int64_t before = now();
        for (int round = 0; round < ROUNDS; round++) {
            give(0);
            take(0);
        }
        wrong += now() != before;
    }
    printf("%d\n", wrong);
    fflush(stdout);
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    _exit(0);
}
