/*
 * asked.h: whether the user wants it to end: SIGINT, SIGTERM or SIGHUP, unless it was ignored when
 * snag began (nohup, background jobs). Once asked for, it stays so: whoever begins an execution, or
 * goes on with a search, looks here first.
 */
#ifndef SN_FUZZ_ASKED_H
#define SN_FUZZ_ASKED_H

/* The signals are caught from the first of these to the last sn_asked_leave(). */
void sn_asked_watch(void);
void sn_asked_leave(void);
int sn_asked(void);          /* the signal; 0: nobody has */
void sn_asked_note(int sig); /* it came while others waited for signals; 0 is nothing */
/* To put in order what there is, so long, or until the user asks once more, nobody has asked. */
void sn_asked_put_off(double seconds);

#endif
