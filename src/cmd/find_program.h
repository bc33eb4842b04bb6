/* find_program.h: where a command's file is, as execvp() would look for it. */
#ifndef SN_CMD_FIND_PROGRAM_H
#define SN_CMD_FIND_PROGRAM_H

#include <stddef.h>

/* 0 and the path; -ENOENT when there is no such file; -EACCES when the first that there is may not be
 * executed, -EISDIR when it is a folder: the path is that one's, then. */
int sn_find_program(const char *name, char *path, size_t size);

#endif
