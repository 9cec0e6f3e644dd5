#include "Internal.h"

// Turns that take time (`--compute`): a thread that wakes while the client computes goes on when that is over.

void begin_turn(void) {
    if (!shared || !atomic_load_explicit(&shared->busy_until, memory_order_relaxed)) return;
    int code = errno;
    // Not at that instant, but right after it, so that Lubdub first reads what was written in the turns before; another
    // thread that was waiting, too, can have had its turn meanwhile.
    for (int64_t end; now() <= (end = atomic_load(&shared->busy_until));) pause_until(end + 1);
    atomic_fetch_add(&shared->turns, 1);
    errno = code;
}
