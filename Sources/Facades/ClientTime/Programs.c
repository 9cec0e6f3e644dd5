#include "Internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// New threads, whose random numbers their creator chooses, and new programs: until the library runs in one, the
// coordinator waits for it.

struct beginning {
    void *(*body)(void *);
    void *argument;
    uint64_t stream;
};

static void *begin(void *it) {
    struct beginning copy = *(struct beginning *)it;
    free(it);
    restart_stream(copy.stream);
    return copy.body(copy.argument);
}

REPLACED int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (!is_virtual()) return REAL(pthread_create)(thread, attributes, body, argument);
    struct beginning *it = malloc(sizeof *it);
    if (!it) return EAGAIN;
    *it = (struct beginning){body, argument, next_stream()};
    int code = REAL(pthread_create)(thread, attributes, begin, it);
    if (code) free(it);
    return code;
}

// Marks this process, which may also be the child of vfork(2), with the memory of its parent.
static void mark(int is_loaded) {
    if (!is_virtual()) return;
    struct client_process *place = place_of(process_number());
    if (!place) return;
    if (!place->stream) place->stream = next_stream();
    atomic_store(&place->loaded, (uint32_t)is_loaded);
}

REPLACED int execve(const char *path, char *const arguments[], char *const environment[]) {
    mark(0);
    int result = (int)SYSTEM4(SYS_execve, path, arguments, environment, 0), code = errno;
    mark(1);
    errno = code;
    return result;
}

REPLACED int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }

REPLACED int execvpe(const char *name, char *const arguments[], char *const environment[]) {
    mark(0);
    int result = REAL(execvpe)(name, arguments, environment), code = errno;
    mark(1);
    errno = code;
    return result;
}

REPLACED int execvp(const char *name, char *const arguments[]) { return execvpe(name, arguments, environ); }
