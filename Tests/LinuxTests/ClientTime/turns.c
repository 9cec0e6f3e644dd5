#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Each turn takes as many milliseconds as the argument says, at least 2: a wait that is over after 1 ms returns right
// after the turn before it is over.  Prints the waits that did not.

static int ends[2];

static long long present(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void write_octet(int number) {
    (void)number;
    if (write(ends[1], "x", 1) != 1) abort();
}

static void write_in_a_millisecond(void) {
    struct itimerval time = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &time, NULL);
}

static void wait_for(int kind) {
    struct timespec millisecond = {0, 1000000}, limit;
    struct pollfd place = {ends[0], POLLIN, 0};
    sem_t closed;
    char octet;
    switch (kind) {
    case 0: nanosleep(&millisecond, NULL); return;
    case 1: poll(&place, 1, 1); return;
    case 2:
        sem_init(&closed, 0, 0);
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_nsec += 1000000;
        sem_timedwait(&closed, &limit);
        return;
    case 3:
        write_in_a_millisecond();
        if (read(ends[0], &octet, 1) != 1) abort();
        return;
    default:
        write_in_a_millisecond();
        if (recv(ends[0], &octet, 1, 0) != 1) abort();
        return;
    }
}

int main(int count, char **words) {
    long long turn = count > 1 ? atoll(words[1]) * 1000000 + 1 : 0;
    struct sigaction action = {.sa_handler = write_octet, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    for (int i = 0; i < 15; i++) {
        long long begin = present();
        wait_for(i % 5);
        if (present() - begin != turn) printf("wait %d: %lld ns\n", i % 5, present() - begin);
    }
    return 0;
}
