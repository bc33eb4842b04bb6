/* capture.h: running a helper program for its output. */
#ifndef SN_CMD_CAPTURE_H
#define SN_CMD_CAPTURE_H

#include <stdbool.h>

/* Runs argv and collects what it writes to stdout, and to stderr when asked (else that goes
 * nowhere). Returns its exit status, 128 + n, or SN_EXIT_NOT_FOUND; *output is malloc'ed, never
 * null. */
int sn_capture(char *const *argv, bool with_stderr, char **output);

#endif
