/* oracle.h: was a run of the program correct? By its exit status, or by a command of the user's. */
#ifndef SN_CMD_ORACLE_H
#define SN_CMD_ORACLE_H

#include <stdbool.h>

/* command: null, then status 0 is correct. Else it runs in a shell with the program's output as its
 * input, SNAG_STATUS and SNAG_OUTPUT in its environment; its status 0 is correct. 0 and the answer,
 * or SN_EXIT_FAILED after a message. */
int sn_oracle(const char *command, int status, const char *output, bool *correct);

#endif
