#include "Internal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Registers this process, and its threads when they first wait.

struct client_time_file *shared;
struct client_process *process;
static _Atomic int has_begun;
static PER_THREAD struct client_thread *mine;
static pthread_key_t ends_with_thread;

void *next_symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

long system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    result = x0;
#endif
    if (result >= 0 || result <= -4096) return result;
    errno = (int)-result;
    return -1;
}

void complain(const char *text) { SYSTEM4(SYS_write, 2, text, strlen(text), 0); }

int32_t process_number(void) { return (int32_t)SYSTEM4(SYS_getpid, 0, 0, 0, 0); }

static void free_thread(struct client_thread *thread) {
    atomic_store(&thread->deadline, 0);
    atomic_store(&thread->word, 0);
    thread->name[0] = 0;
    atomic_store(&thread->pid, 0);
    atomic_store(&thread->tid, 0);
}

// What the program before exec(3) has left.
static void forget_program(int32_t pid) {
    for (int i = 0; i < CLIENT_THREADS; i++)
        if (atomic_load(&shared->threads[i].pid) == pid) free_thread(&shared->threads[i]);
    for (int i = 0; i < CLIENT_TIMERS; i++)
        if (atomic_load(&shared->timers[i].pid) == pid) atomic_store(&shared->timers[i].pid, 0);
}

struct client_process *place_of(int32_t pid) {
    for (int i = 0; i < CLIENT_PROCESSES; i++)
        if (atomic_load(&shared->processes[i].pid) == pid) return &shared->processes[i];
    for (int i = 0; i < CLIENT_PROCESSES; i++) {
        int32_t none = 0;
        if (!atomic_compare_exchange_strong(&shared->processes[i].pid, &none, pid)) continue;
        atomic_store(&shared->processes[i].alarm, NEVER);
        return &shared->processes[i];
    }
    return NULL;
}

// `stream` is that of a child; 0 for another program, which continues the stream that the process had.
static void register_process(uint64_t stream) {
    int32_t pid = process_number();
    forget_program(pid);
    process = place_of(pid);
    if (!process) return complain("liblubdubtime: too many processes\n");
    if (!process->stream)
        process->stream = stream ? stream : mix(mix(shared->seed) + atomic_fetch_add(&shared->ordinal, 1));
    restart_stream(process->stream);
    atomic_store(&process->loaded, 1);
    begin_turn();
}

static void begin_child(void) {
    if (!shared) return;
    mine = NULL;
    close_wake_socket();
    forget_helper();
    register_process(next_stream());
    if (process) atomic_store(&process->alarm, NEVER);  // alarms are not inherited
}

static void end_thread(void *thread) {
    close_wake_socket();
    mine = NULL;
    free_thread(thread);
}

__attribute__((constructor)) static void begin(void) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&has_begun, &none, 1)) return;
    const char *path = getenv(CLIENT_TIME_VARIABLE);
    if (!path) return;
    int file = (int)SYSTEM4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    struct client_time_file *memory =
        file < 0 ? MAP_FAILED : mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) SYSTEM4(SYS_close, file, 0, 0, 0);
    if (memory == MAP_FAILED || memory->magic != CLIENT_TIME_MAGIC || memory->size != sizeof *memory)
        return complain("liblubdubtime: cannot read " CLIENT_TIME_VARIABLE ": this process is in real time\n");
    shared = memory;
    pthread_key_create(&ends_with_thread, end_thread);
    pthread_atfork(NULL, skip_stream, begin_child);
    register_process(0);
}

int is_virtual(void) {
    // Constructors of other libraries may run first.
    if (!atomic_load_explicit(&has_begun, memory_order_acquire)) begin();
    return shared != NULL;
}

struct client_thread *this_thread(void) {
    if (mine) return mine;
    int32_t tid = (int32_t)SYSTEM4(SYS_gettid, 0, 0, 0, 0);
    for (int i = 0; i < CLIENT_THREADS; i++) {
        int32_t none = 0;
        struct client_thread *thread = &shared->threads[i];
        if (!atomic_compare_exchange_strong(&thread->tid, &none, tid)) continue;
        atomic_store(&thread->pid, process_number());
        pthread_setspecific(ends_with_thread, thread);
        return mine = thread;
    }
    complain("liblubdubtime: too many threads\n");
    abort();
}
