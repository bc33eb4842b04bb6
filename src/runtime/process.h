/* process.h: whose process this is, and how it becomes two. */
#ifndef SN_RUNTIME_PROCESS_H
#define SN_RUNTIME_PROCESS_H

/* At the start, and in a fork's child. */
void sn_process_begins(void);
/* The regular end of this process; nothing in a child that runs in its parent's memory. */
void sn_process_ends(void);

/* Around whatever makes a process with a copy of this one's memory (fork.c). */
void sn_fork_begins(void);
void sn_fork_parent(void); /* also when there is no child */
void sn_fork_child(void);

#endif
