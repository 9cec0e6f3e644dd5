// Counts what a program allocates: built as a shared object, and preloaded.  `lubdub bench` finds the function below;
// the figure of any other command is printed at its end, if COUNT_ALLOCATIONS is set.
//
// glibc exports the allocator behind its own names, so that these can stand in front of it.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static uint64_t count;

static void note(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

uint64_t lubdub_allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

void *malloc(size_t size) { note(); return __libc_malloc(size); }

void *calloc(size_t items, size_t size) { note(); return __libc_calloc(items, size); }

void *realloc(void *old, size_t size) { note(); return __libc_realloc(old, size); }

void *memalign(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }

int posix_memalign(void **target, size_t alignment, size_t size) {
    note();
    *target = __libc_memalign(alignment, size);
    return *target ? 0 : 12;  // ENOMEM
}

__attribute__((destructor)) static void print_count(void) {
    if (getenv("COUNT_ALLOCATIONS")) fprintf(stderr, "%llu\n", (unsigned long long)lubdub_allocations());
}
