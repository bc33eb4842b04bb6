/* find_program.h: where a command's file is, as execvp() would look for it. */
#ifndef SN_CMD_FIND_PROGRAM_H
#define SN_CMD_FIND_PROGRAM_H

#include <stddef.h>

/* 0 and the path; -ENOENT when there is no such file; -EACCES when there is one that may not be
 * executed (or is a folder). */
int sn_find_program(const char *name, char *path, size_t size);

#endif
