/*
 * fd.h: file descriptors as synchronisation objects. What a thread did before it wrote to a pipe, a
 * socket or an eventfd happens before what the thread does that reads from it.
 */
#ifndef SN_RUNTIME_FD_H
#define SN_RUNTIME_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "core/thread.h"

/* Around an operation on fd, inside a hook: data goes out; data came in. */
void sn_fd_release(struct sn_thread *t, int fd, uintptr_t pc);
void sn_fd_acquire(struct sn_thread *t, int fd, uintptr_t pc);
/* The same for buffered streams, where only channels between threads count (no files). */
bool sn_fd_is_channel(int fd);

/* A pipe, an eventfd, a pair of sockets that this process made: who reads from it waits for another
 * thread, as a rule. */
bool sn_fd_is_inside(int fd);

/* fd is new, or no longer what it was. */
void sn_fd_forget(int fd);
/* fd is a new eventfd. */
void sn_fd_event(int fd);
/* Both ends of a channel that was just made. */
void sn_fd_pair(int a, int b);
/* `to` is another name of `from`. */
void sn_fd_copy(int from, int to);

/* A connection is being asked for, and was accepted: by the address of the listening socket. */
void sn_fd_connecting(struct sn_thread *t, const struct sockaddr *to, socklen_t n, uintptr_t pc);
void sn_fd_accepted(struct sn_thread *t, int listening, uintptr_t pc);

#endif
