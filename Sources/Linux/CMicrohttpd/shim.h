#pragma once
#include <microhttpd.h>

// Swift imports no function with variable arguments.

/// A server without threads at a listening socket, which it closes in the end; null if the system has no descriptors left.
/// `octets` is the memory per connection, for its headers and for what it sends; a connection without traffic ends after
/// `seconds`.
static inline struct MHD_Daemon *startDaemon(
    int listening, unsigned int connections, size_t octets, unsigned int seconds, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, 0, 0, answer, context, MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, octets,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/// The descriptor that is readable when the server has something to do.
static inline int descriptorOf(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}
