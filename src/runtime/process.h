/* process.h: whose process this is. */
#ifndef SN_RUNTIME_PROCESS_H
#define SN_RUNTIME_PROCESS_H

/* At the start, and in a fork's child. */
void sn_process_begins(void);

#endif
