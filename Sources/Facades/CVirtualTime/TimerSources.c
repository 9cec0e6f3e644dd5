#include "Internal.h"

#include <stdlib.h>

// Timer sources of libdispatch in virtual time.
//
// Instead of a timer source, libdispatch creates a source of data, which has no timer: when it is due in virtual time, it
// receives data, the number of times that it was due.  So libdispatch still does all but the waiting: it calls the handlers
// in turn, on the source's queue, while the source is neither suspended nor cancelled.

void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue);
void dispatch_source_set_event_handler(void *source, void *block);
void dispatch_source_set_event_handler_f(void *source, Function function);
void dispatch_source_set_cancel_handler(void *source, void *block);
void dispatch_source_set_cancel_handler_f(void *source, Function function);
void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway);
void dispatch_source_merge_data(void *source, unsigned long value);
void dispatch_source_cancel(void *source);
void dispatch_suspend(void *object);
void dispatch_resume(void *object);
void dispatch_activate(void *object);
void *dispatch_get_context(void *object);
void dispatch_set_context(void *object, void *context);

extern const struct dispatch_source_type_s _dispatch_source_type_timer, _dispatch_source_type_data_add;

// What an app lets a source call.
typedef struct {
    void *block;
    Function function;
} Handler;

typedef struct Source {
    Timer timer;  // due: `never`, or when it fires next; in the list while it can fire
    void *object;
    int64_t interval;
    Handler event, cancellation;
    uint64_t suspensions;
    bool is_active, is_cancelled;
    // Whether libdispatch will call a handler, as soon as the source is not suspended; and whether that call is counted.
    bool has_call, is_counted;
    // How many callouts libdispatch has; it releases them before the source.
    int callouts;
    struct Source *next;
} Source;

// A block that calls a handler of a source.
typedef struct {
    Block block;
    const struct Descriptor *descriptor;
    Source *source;
} Callout;

struct Descriptor {
    unsigned long reserved, size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
};

extern void *_NSConcreteStackBlock[];
static const int has_copy_dispose = 1 << 25;

static _Atomic(Source *) sources;
// The context of a source of this module, also when it has been cancelled and forgotten.
static char mark;

static Source *find(void *object) {
    Source *source = sources;
    while (source && source->object != object) source = source->next;
    return source;
}

// Locks the mutex and returns the source; NULL, without the lock, if it is another object of libdispatch.
static Source *locked(void *object) {
    if (!sources) return NULL;
    pthread_mutex_lock(&virtual_time_mutex);
    Source *source = find(object);
    if (!source) pthread_mutex_unlock(&virtual_time_mutex);
    return source;
}

static bool is_suspended(const Source *source) { return !source->is_active || source->suspensions > 0; }

// Puts the timer into the list if it is to fire.
static void wait_for(Source *source) {
    if (source->timer.due != never && !is_suspended(source) && !source->is_cancelled && virtual_time_runs()) {
        virtual_time_add(&source->timer);
    }
}

static void count(Source *source) {
    if (source->is_counted) return;
    source->is_counted = true;
    virtual_time_count();
}

static void uncount(Source *source) {
    if (!source->is_counted) return;
    source->is_counted = false;
    virtual_time_uncount();
}

static void fire(Timer *timer, bool is_due) {
    Source *source = (Source *)timer;
    if (!is_due) return;
    int64_t times = 1;
    if (source->interval == never) {
        timer->due = never;
    } else {
        times += (virtual_time_elapsed - timer->due) / source->interval;
        if (__builtin_add_overflow(timer->due, times * source->interval, &timer->due)) timer->due = never;
    }
    wait_for(source);
    if (!source->event.block && !source->event.function) return;
    source->has_call = true;
    count(source);
    dispatch_source_merge_data(source->object, times);
}

// MARK: Callouts

// Calls a handler on the source's queue, in virtual time; the call is counted.
static void call(Source *source, const Handler *handler, bool is_last) {
    pthread_mutex_lock(&virtual_time_mutex);
    count(source);
    source->is_counted = false;
    source->has_call = source->is_cancelled && !is_last;
    if (source->has_call && !is_suspended(source)) count(source);
    Function function = handler->function;
    void *block = handler->block ? _Block_copy(handler->block) : NULL;
    pthread_mutex_unlock(&virtual_time_mutex);
    virtual_time_enter();
    if (block) {
        virtual_time_call_block(block);
    } else if (function) {
        void *context = dispatch_get_context(source->object);
        function(context == &mark ? NULL : context);
    }
    virtual_time_leave();
    pthread_mutex_lock(&virtual_time_mutex);
    virtual_time_end_work();
    pthread_mutex_unlock(&virtual_time_mutex);
}

static void call_event_handler(void *block) {
    Source *source = ((Callout *)block)->source;
    call(source, &source->event, false);
}

static void call_cancellation_handler(void *block) {
    Source *source = ((Callout *)block)->source;
    call(source, &source->cancellation, true);
}

static void copy(void *to, const void *from) {
    (void)from;
    ((Callout *)to)->source->callouts++;
}

// Forgets the source when libdispatch has released its last callout.
static void dispose(const void *block) {
    Source *source = ((const Callout *)block)->source;
    pthread_mutex_lock(&virtual_time_mutex);
    bool is_last = --source->callouts == 0;
    if (is_last) {
        uncount(source);
        virtual_time_remove(&source->timer);
        Source *first = sources;
        if (first == source) {
            sources = source->next;
        } else {
            while (first->next != source) first = first->next;
            first->next = source->next;
        }
    }
    pthread_mutex_unlock(&virtual_time_mutex);
    if (!is_last) return;
    if (source->event.block) _Block_release(source->event.block);
    if (source->cancellation.block) _Block_release(source->cancellation.block);
    free(source);
}

static Callout callout(Source *source, Function function) {
    static const struct Descriptor descriptor = {0, sizeof(Callout), copy, dispose};
    Block block = {_NSConcreteStackBlock, has_copy_dispose, 0, function};
    return (Callout){block, &descriptor, source};
}

// MARK: Replaced functions

void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    static _Atomic(__typeof__(&dispatch_source_create)) original;
    static _Atomic(__typeof__(&dispatch_source_set_event_handler)) set_event_handler, set_cancel_handler;
    if (!original) {
        set_event_handler = REAL(dispatch_source_set_event_handler);
        set_cancel_handler = REAL(dispatch_source_set_cancel_handler);
        original = REAL(dispatch_source_create);
    }
    if (!virtual_time_follows() || type != &_dispatch_source_type_timer) return original(type, handle, mask, queue);
    Source *source = calloc(1, sizeof *source);
    void *object = original(&_dispatch_source_type_data_add, 0, 0, queue);
    if (!source || !object) abort();
    *source = (Source){.timer = {.due = never, .leave = fire}, .object = object, .interval = never};
    dispatch_set_context(object, &mark);
    Callout event = callout(source, call_event_handler), cancellation = callout(source, call_cancellation_handler);
    set_event_handler(object, &event);
    set_cancel_handler(object, &cancellation);
    pthread_mutex_lock(&virtual_time_mutex);
    source->next = sources;
    sources = source;
    pthread_mutex_unlock(&virtual_time_mutex);
    return object;
}

// Replaces a handler; false if the object is not a source of this module.
static bool set_handler(void *object, bool is_cancellation, Handler handler) {
    Source *source = locked(object);
    if (!source) return false;
    Handler *place = is_cancellation ? &source->cancellation : &source->event;
    void *old = place->block;
    if (handler.block) handler.block = _Block_copy(handler.block);
    *place = handler;
    pthread_mutex_unlock(&virtual_time_mutex);
    if (old) _Block_release(old);
    return true;
}

void dispatch_source_set_event_handler(void *source, void *block) {
    static _Atomic(__typeof__(&dispatch_source_set_event_handler)) original;
    if (!original) original = REAL(dispatch_source_set_event_handler);
    if (!set_handler(source, false, (Handler){.block = block})) original(source, block);
}

void dispatch_source_set_event_handler_f(void *source, Function function) {
    static _Atomic(__typeof__(&dispatch_source_set_event_handler_f)) original;
    if (!original) original = REAL(dispatch_source_set_event_handler_f);
    if (!set_handler(source, false, (Handler){.function = function})) original(source, function);
}

void dispatch_source_set_cancel_handler(void *source, void *block) {
    static _Atomic(__typeof__(&dispatch_source_set_cancel_handler)) original;
    if (!original) original = REAL(dispatch_source_set_cancel_handler);
    if (!set_handler(source, true, (Handler){.block = block})) original(source, block);
}

void dispatch_source_set_cancel_handler_f(void *source, Function function) {
    static _Atomic(__typeof__(&dispatch_source_set_cancel_handler_f)) original;
    if (!original) original = REAL(dispatch_source_set_cancel_handler_f);
    if (!set_handler(source, true, (Handler){.function = function})) original(source, function);
}

void dispatch_source_set_timer(void *object, uint64_t start, uint64_t interval, uint64_t leeway) {
    static _Atomic(__typeof__(&dispatch_source_set_timer)) original;
    if (!original) original = REAL(dispatch_source_set_timer);
    int64_t delay = virtual_time_until(start);
    Source *source = locked(object);
    if (!source && dispatch_get_context(object) == &mark) return;
    if (!source) {  // created in real time; only the start is translated, since the caller sees virtual time
        if (virtual_time_follows() && start != 0 && delay != never) start = virtual_time_real(delay);
        return original(object, start, interval, leeway);
    }
    virtual_time_remove(&source->timer);
    source->interval = interval == 0 ? 1 : interval > (uint64_t)never ? never : (int64_t)interval;
    if (!virtual_time_runs() || __builtin_add_overflow(virtual_time_elapsed, delay, &source->timer.due)) {
        source->timer.due = never;
    }
    wait_for(source);
    pthread_mutex_unlock(&virtual_time_mutex);
}

void dispatch_source_cancel(void *object) {
    static _Atomic(__typeof__(&dispatch_source_cancel)) original;
    if (!original) original = REAL(dispatch_source_cancel);
    Source *source = locked(object);
    if (source) {
        virtual_time_remove(&source->timer);
        if (!source->is_cancelled) {
            source->is_cancelled = source->has_call = true;
            if (!is_suspended(source)) count(source);
        }
        pthread_mutex_unlock(&virtual_time_mutex);
    }
    original(object);
}

void dispatch_suspend(void *object) {
    static _Atomic(__typeof__(&dispatch_suspend)) original;
    if (!original) original = REAL(dispatch_suspend);
    Source *source = locked(object);
    if (source) {
        source->suspensions++;
        virtual_time_remove(&source->timer);
        uncount(source);
        pthread_mutex_unlock(&virtual_time_mutex);
    }
    original(object);
}

// Continues a source that is no longer suspended.
static void proceed(Source *source) {
    if (is_suspended(source)) return;
    wait_for(source);
    if (source->has_call) count(source);
}

void dispatch_resume(void *object) {
    static _Atomic(__typeof__(&dispatch_resume)) original;
    if (!original) original = REAL(dispatch_resume);
    Source *source = locked(object);
    if (source) {
        if (source->suspensions > 0) source->suspensions--; else source->is_active = true;
        proceed(source);
        pthread_mutex_unlock(&virtual_time_mutex);
    }
    original(object);
}

void dispatch_activate(void *object) {
    static _Atomic(__typeof__(&dispatch_activate)) original;
    if (!original) original = REAL(dispatch_activate);
    Source *source = locked(object);
    if (source) {
        if (!source->is_active) {
            source->is_active = true;
            proceed(source);
        }
        pthread_mutex_unlock(&virtual_time_mutex);
    }
    original(object);
}

void virtual_time_stop_sources(void) {
    for (Source *source = sources; source; source = source->next) source->timer.due = never;
}
