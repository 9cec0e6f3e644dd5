#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Each kind of wait with a limit: what it returns, and how long it takes.  Prints those that differ.

static int ends[2];        // of a pipe
static int sockets[2];     // the first one has a limit of 1.1 s for receiving
static int timer, poller;  // a timerfd, and an epoll descriptor with the pipe
static pthread_t helper;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static timer_t signals;
static volatile sig_atomic_t alarms, ticks;

static void count_alarm(int number) { (void)number; alarms++; }
static void count_tick(int number) { (void)number; ticks++; }

static int64_t milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static struct timespec in(clockid_t clock, long delay) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += delay % 1000 * 1000000;
    t.tv_sec += delay / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void pause_for(long delay) { usleep((useconds_t)delay * 1000); }

static void *write_later(void *delay) {
    pause_for((long)delay);
    return write(ends[1], "x", 1) == 1 ? NULL : &ends;
}

static void *signal_later(void *delay) {
    pause_for((long)delay);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    return NULL;
}

static void *sleep_for(void *delay) {
    pause_for((long)delay);
    return NULL;
}

static void help(void *(*body)(void *), long delay) { pthread_create(&helper, NULL, body, (void *)delay); }

static long joined(long result) {
    pthread_join(helper, NULL);
    return result;
}

static long code(int result) { return result == 0 ? 0 : errno; }

// MARK: The waits

static long nanosleep_2s(void) {
    struct timespec t = {2, 0};
    return nanosleep(&t, NULL);
}
static long clock_nanosleep_absolute(void) {
    struct timespec t = in(CLOCK_MONOTONIC, 1500);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static long usleep_250ms(void) { return usleep(250000); }
static long sleep_3s(void) { return sleep(3); }
static long poll_to_its_limit(void) {
    struct pollfd p = {ends[0], POLLIN, 0};
    return poll(&p, 1, 700);
}
static long poll_until_ready(void) {
    struct pollfd p = {ends[0], POLLIN, 0};
    char octet;
    help(write_later, 300);
    long result = poll(&p, 1, 5000) * 10 + p.revents;
    return joined(result) + (read(ends[0], &octet, 1) != 1);
}
static long ppoll_to_its_limit(void) {
    struct pollfd p = {ends[0], POLLIN, 0};
    struct timespec t = {0, 350000000};
    return ppoll(&p, 1, &t, NULL);
}
static long select_to_its_limit(void) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timeval t = {4, 0};
    return select(ends[0] + 1, &set, NULL, NULL, &t) + t.tv_sec;
}
static long select_until_ready(void) {
    fd_set set;
    char octet;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timeval t = {4, 0};
    help(write_later, 300);
    long left = select(ends[0] + 1, &set, NULL, NULL, &t) == 1 ? t.tv_sec * 10 + (t.tv_usec + 50000) / 100000 : -1;
    return joined(left) + (read(ends[0], &octet, 1) != 1);
}
static long pselect_interrupted(void) {
    sigset_t blocked, during;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, &during);
    alarm(1);
    pause_for(1500);  // the signal is pending then
    struct timespec t = {9, 0};
    long result = pselect(0, NULL, NULL, NULL, &t, &during) < 0 ? errno : 0;
    sigprocmask(SIG_SETMASK, &during, NULL);
    return result;
}
static long epoll_to_its_limit(void) {
    struct epoll_event event;
    return epoll_wait(poller, &event, 1, 900);
}
static long timer_in_epoll(void) {
    struct itimerspec t = {{0, 400000000}, {1, 0}};
    struct epoll_event event = {.events = EPOLLIN};
    uint64_t count = 0;
    timerfd_settime(timer, 0, &t, NULL);
    epoll_ctl(poller, EPOLL_CTL_ADD, timer, &event);
    long result = epoll_wait(poller, &event, 1, -1) * 10;
    return result + (read(timer, &count, 8) == 8 ? (long)count : -1);
}
static long timer_read(void) {
    uint64_t count = 0;
    return read(timer, &count, 8) == 8 ? (long)count : -1;
}
static long timer_read_late(void) {
    pause_for(2000);
    return timer_read();
}
static long timer_remaining(void) {
    struct itimerspec t;
    timerfd_gettime(timer, &t);
    close(timer);
    return (t.it_value.tv_nsec + 50000000) / 100000000;
}
static long condition_to_its_limit(void) {
    struct timespec t = in(CLOCK_REALTIME, 1200);
    pthread_mutex_lock(&mutex);
    long result = pthread_cond_timedwait(&condition, &mutex, &t);
    pthread_mutex_unlock(&mutex);
    return result;
}
static long condition_until_signal(void) {
    struct timespec t = in(CLOCK_MONOTONIC, 9000);
    pthread_mutex_lock(&mutex);
    help(signal_later, 500);
    long result = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &t);
    pthread_mutex_unlock(&mutex);
    return joined(result);
}
static long semaphore_available(void) {
    struct timespec t = in(CLOCK_REALTIME, 600);
    return code(sem_timedwait(&semaphore, &t));
}
static long semaphore_to_its_limit(void) { return semaphore_available(); }
static long semaphore_until_post(void) {
    struct timespec t = in(CLOCK_REALTIME, 9000);
    help(signal_later, 500);
    return joined(code(sem_timedwait(&semaphore, &t)));
}
static long futex_to_its_limit(void) {
    uint32_t word = 0;
    struct timespec t = {0, 800000000};
    return code((int)syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &t, NULL, 0));
}
static long receive_to_its_limit(void) {
    char octet;
    return code((int)recv(sockets[0], &octet, 1, 0));
}
static long receive_many_to_their_limit(void) {
    char octet;
    struct iovec place = {&octet, 1};
    struct mmsghdr messages[1] = {{{.msg_iov = &place, .msg_iovlen = 1}, 0}};
    struct timespec t = {5, 0};
    return code(recvmmsg(sockets[0], messages, 1, 0, &t));
}
static long mutex_to_its_limit(void) {
    struct timespec t = in(CLOCK_REALTIME, 350);
    return pthread_mutex_timedlock(&taken, &t);
}
static long rwlock_to_its_limit(void) {
    struct timespec t = in(CLOCK_REALTIME, 450);
    return pthread_rwlock_timedwrlock(&lock, &t);
}
static long join_to_its_limit(void) {
    struct timespec t = in(CLOCK_REALTIME, 550);
    help(sleep_for, 2000);
    return pthread_timedjoin_np(helper, NULL, &t);
}
static long join_in_time(void) {
    struct timespec t = in(CLOCK_REALTIME, 9000);
    return pthread_timedjoin_np(helper, NULL, &t);
}
static long alarm_5s(void) {
    int before = alarms;
    alarm(5);
    pause();
    return alarms - before;
}
static long interval_timer(void) {
    struct itimerval t = {{0, 250000}, {0, 250000}}, none = {{0, 0}, {0, 0}};
    int before = alarms;
    setitimer(ITIMER_REAL, &t, NULL);
    while (alarms < before + 4) pause();
    setitimer(ITIMER_REAL, &none, NULL);
    return alarms - before;
}
static long posix_timer(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec t = {{0, 300000000}, {0, 100000000}};
    timer_create(CLOCK_MONOTONIC, &event, &signals);
    timer_settime(signals, 0, &t, NULL);
    while (ticks < 3) pause();
    timer_delete(signals);
    return ticks;
}
static long timer_with_endless_interval(void) {
    struct itimerspec t = {{INT64_MAX, 0}, {0, 200000000}};
    int fires_once = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct pollfd place = {fires_once, POLLIN, 0};
    uint64_t count = 0;
    timerfd_settime(fires_once, 0, &t, NULL);
    if (read(fires_once, &count, sizeof count) < 0) return -1;
    int again = poll(&place, 1, 600);
    close(fires_once);
    return (long)count * 10 + again;
}
static long nanosleep_interrupted(void) {
    struct timespec t = {10, 0}, left;
    alarm(1);
    return nanosleep(&t, &left) < 0 && errno == EINTR ? left.tv_sec + (left.tv_nsec > 500000000) : -1;
}
static long sigtimedwait_to_its_limit(void) {
    sigset_t set;
    struct timespec t = {0, 650000000};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return code(sigtimedwait(&set, NULL, &t) < 0 ? -1 : 0);
}
// Its parents are no supervisors of Lubdub, so the child of a process that has ended is nobody's whom they follow.
static long sleep_after_the_end_of_an_orphan(void) {
    int from_child[2];
    pid_t orphan;
    if (pipe(from_child)) return -1;
    pid_t child = fork();
    if (child == 0) {
        orphan = fork();
        if (orphan == 0) sleep(50);
        else if (write(from_child[1], &orphan, sizeof orphan) < 0) _exit(1);
        _exit(0);
    }
    if (read(from_child[0], &orphan, sizeof orphan) != sizeof orphan || waitpid(child, NULL, 0) != child) return -1;
    pause_for(100);
    kill(orphan, SIGKILL);
    return sleep(60);
}
static long busy_wait(void) {
    int64_t until = milliseconds() + 3000;
    while (milliseconds() < until) {}
    return 0;
}

static const struct {
    const char *name;
    long (*wait)(void);
    long result, duration;
} waits[] = {
    {"nanosleep", nanosleep_2s, 0, 2000},
    {"clock_nanosleep until", clock_nanosleep_absolute, 0, 1500},
    {"usleep", usleep_250ms, 0, 250},
    {"sleep", sleep_3s, 0, 3000},
    {"poll", poll_to_its_limit, 0, 700},
    {"poll, ready", poll_until_ready, 11, 300},
    {"ppoll", ppoll_to_its_limit, 0, 350},
    {"select", select_to_its_limit, 0, 4000},
    {"select, ready", select_until_ready, 37, 300},
    {"pselect, signal", pselect_interrupted, EINTR, 1500},
    {"epoll_wait", epoll_to_its_limit, 0, 900},
    {"timerfd in epoll", timer_in_epoll, 11, 1000},
    {"timerfd", timer_read, 1, 400},
    {"timerfd, late", timer_read_late, 5, 2000},
    {"timerfd, remaining", timer_remaining, 4, 0},
    {"timerfd, endless interval", timer_with_endless_interval, 10, 800},
    {"condition", condition_to_its_limit, ETIMEDOUT, 1200},
    {"condition, signal", condition_until_signal, 0, 500},
    {"semaphore, available", semaphore_available, 0, 0},
    {"semaphore", semaphore_to_its_limit, ETIMEDOUT, 600},
    {"semaphore, post", semaphore_until_post, 0, 500},
    {"futex", futex_to_its_limit, ETIMEDOUT, 800},
    {"recv, SO_RCVTIMEO", receive_to_its_limit, EAGAIN, 1100},
    {"recvmmsg, SO_RCVTIMEO", receive_many_to_their_limit, EAGAIN, 1100},
    {"mutex", mutex_to_its_limit, ETIMEDOUT, 350},
    {"rwlock", rwlock_to_its_limit, ETIMEDOUT, 450},
    {"join", join_to_its_limit, ETIMEDOUT, 550},
    {"join, in time", join_in_time, 0, 1450},
    {"alarm", alarm_5s, 1, 5000},
    {"setitimer", interval_timer, 4, 1000},
    {"timer_create", posix_timer, 3, 700},
    {"nanosleep, signal", nanosleep_interrupted, 9, 1000},
    {"sigtimedwait", sigtimedwait_to_its_limit, EAGAIN, 650},
    {"sleep after the end of an orphan", sleep_after_the_end_of_an_orphan, 0, 60100},
    {"busy wait", busy_wait, 0, 3000},
};

// `waits SLACK`: how many milliseconds longer a wait may take.
int main(int count, char **words) {
    long slack = count > 1 ? strtol(words[1], NULL, 10) : 0;
    int differences = 0;
    struct timeval limit = {1, 100000};
    struct epoll_event event = {.events = EPOLLIN};
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets)) return 99;
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    poller = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&taken);
    pthread_rwlock_rdlock(&lock);
    signal(SIGALRM, count_alarm);
    signal(SIGUSR1, count_tick);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        int64_t begin = milliseconds();
        long result = waits[i].wait(), duration = (long)(milliseconds() - begin);
        if (result == waits[i].result && duration >= waits[i].duration && duration <= waits[i].duration + slack)
            continue;
        differences++;
        printf("%s: %ld in %ld ms, not %ld in %ld ms\n", waits[i].name, result, duration, waits[i].result,
               waits[i].duration);
    }
    return differences;
}
