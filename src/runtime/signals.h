/* signals.h: what the signal hooks share. sn_signal_run_pending() is in hook.h. */
#ifndef SN_RUNTIME_SIGNALS_H
#define SN_RUNTIME_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The synchronisation object that stands for a signal. */
uintptr_t sn_signal_object(int sig);
/* The thread's last hook: gives back what it needed for signals. */
void sn_signal_thread_end(void);

struct sn_thread;
typedef void sn_signal_handler(int, siginfo_t *, void *);
/* A signal that comes now has interrupted snag itself; its handler may be put off. */
bool sn_signal_inside(const struct sn_thread *t);
/* For the entry of a handler: fn runs when the hook or the engine is left. False: no memory. */
bool sn_signal_put_off(struct sn_thread *t, sn_signal_handler *fn, int sig, siginfo_t *info,
                       void *context);
/* A handler was put off: does the call that it interrupted go on afterwards (SA_RESTART)? */
bool sn_signal_restarts(void);

#endif
