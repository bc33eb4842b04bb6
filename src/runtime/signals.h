/* signals.h: what the signal hooks share. sn_signal_run_pending() is in hook.h. */
#ifndef SN_RUNTIME_SIGNALS_H
#define SN_RUNTIME_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* The synchronisation object that stands for a signal. */
uintptr_t sn_signal_object(int sig);
/* The thread's last hook: gives back what it needed for signals. */
void sn_signal_thread_end(void);

/* A handler was put off: does the call that it interrupted go on afterwards (SA_RESTART)? */
bool sn_signal_restarts(void);

#endif
