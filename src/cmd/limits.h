/*
 * limits.h: the command under narrow limits of its shell (ulimit). They are the program's and stay
 * as they are; the command itself gets along with them, or says which one stopped it.
 */
#ifndef SN_CMD_LIMITS_H
#define SN_CMD_LIMITS_H

/* body(argc, argv), on a larger stack where ulimit -s is small; its status, after a word about
 * ulimit -f if that cut one of the command's files. */
int sn_limits_run(int (*body)(int argc, char **argv), int argc, char **argv);
/* 0, or SN_EXIT_FAILED after a message when no process could write what it finds. */
int sn_limits_check(void);

#endif
