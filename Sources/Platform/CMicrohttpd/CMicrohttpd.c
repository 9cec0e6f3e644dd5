#include "CMicrohttpd.h"

#include <dlfcn.h>

static struct MicrohttpdFunctions functions;

// Those that Swift cannot call: with variable arguments, or called here only.
static __typeof__(MHD_get_connection_info) *get_connection_info;
static __typeof__(MHD_get_daemon_info) *get_daemon_info;
static __typeof__(MHD_http_unescape) *http_unescape;
static __typeof__(MHD_set_response_options) *set_response_options;
static __typeof__(MHD_start_daemon) *start_daemon;

#define FIND(place, name) ((place = (__typeof__(place))dlsym(library, "MHD_" #name)) != NULL)

static int findFunctions(void *library) {
    return FIND(functions.add_response_header, add_response_header)
        && FIND(functions.create_response_from_buffer, create_response_from_buffer)
        && FIND(functions.create_response_from_callback, create_response_from_callback)
        && FIND(functions.destroy_response, destroy_response)
        && FIND(functions.get_connection_values, get_connection_values)
        && FIND(functions.get_timeout, get_timeout) && FIND(functions.queue_response, queue_response)
        && FIND(functions.resume_connection, resume_connection) && FIND(functions.run, run)
        && FIND(functions.stop_daemon, stop_daemon) && FIND(functions.suspend_connection, suspend_connection)
        && FIND(get_connection_info, get_connection_info) && FIND(get_daemon_info, get_daemon_info)
        && FIND(http_unescape, http_unescape) && FIND(set_response_options, set_response_options)
        && FIND(start_daemon, start_daemon);
}

const struct MicrohttpdFunctions *loadMicrohttpd(const char **reason) {
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (library && findFunctions(library)) return &functions;
    *reason = dlerror();
    return NULL;
}

static size_t unescape(void *context, struct MHD_Connection *connection, char *text) {
    (void)context, (void)connection;
    size_t count = http_unescape(text);
    for (size_t index = 0; index < count; index++)
        if (text[index] == '\0') text[index] = 1;
    return count;
}

struct MHD_Daemon *startDaemon(
    int listening, unsigned int connections, size_t octets, struct ServerCallbacks callbacks, void *context) {
    return start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, callbacks.answer, context,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, octets, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.target, context,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

int descriptorOf(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

int socketOf(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

void *contextOf(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

size_t headSizeOf(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

void endWithConnection(struct MHD_Response *response) {
    set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}
