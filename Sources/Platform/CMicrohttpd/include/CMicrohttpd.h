#pragma once
#include <microhttpd.h>

#pragma clang assume_nonnull begin

/// The functions of libmicrohttpd that Swift can call.
///
/// The library is loaded when a page is served: the dynamic linker takes milliseconds for it and for GnuTLS, which it links.
struct __attribute__((swift_attr("@Sendable"))) MicrohttpdFunctions {
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *create_response_from_callback;
    __typeof__(MHD_destroy_response) *destroy_response;
    __typeof__(MHD_get_connection_values) *get_connection_values;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_resume_connection) *resume_connection;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_suspend_connection) *suspend_connection;
};

/// Loads the library; null, and the reason, if it is not on this machine. Only once, and before all other functions.
const struct MicrohttpdFunctions *_Nullable loadMicrohttpd(const char *_Nullable *_Nonnull reason);

typedef void *_Nullable (*TargetCallback)(
    void *_Nullable context, const char *_Nullable target, struct MHD_Connection *_Nullable connection);

/// What a server calls, each time with `context`.
struct ServerCallbacks {
    /// A connection has begun or ended.
    MHD_NotifyConnectionCallback connection;
    /// The first line of a request has arrived; the result is where `answer` finds what is kept with it.
    TargetCallback target;
    /// The header of a request has arrived, a part of its body, or its end.
    MHD_AccessHandlerCallback answer;
    /// A request is over, however it ended.
    MHD_RequestCompletedCallback completed;
};

/// A server without threads and time limits at a listening socket, which it closes in the end; null if the system has no
/// descriptors left. `octets` is the memory per connection, for its header fields and for what it sends.
///
/// Paths and parameters have no percent-encoding; `%00` becomes the control character 1, so that no name seems to end there.
struct MHD_Daemon *_Nullable startDaemon(
    int listening, unsigned int connections, size_t octets, struct ServerCallbacks callbacks, void *context);

/// The descriptor that is readable when the server has something to do.
int descriptorOf(struct MHD_Daemon *daemon);

/// The socket of a connection.
int socketOf(struct MHD_Connection *connection);

/// What the callback for connections has kept with a connection.
void *_Nullable contextOf(struct MHD_Connection *connection);

/// The octets of a request's first line and header fields, with the empty line.
size_t headSizeOf(struct MHD_Connection *connection);

/// The end of a response's content will be the end of its connection: no chunks.
void endWithConnection(struct MHD_Response *response);

#pragma clang assume_nonnull end
