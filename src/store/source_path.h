/* source_path.h: one name for one source file. */
#ifndef SN_STORE_SOURCE_PATH_H
#define SN_STORE_SOURCE_PATH_H

/*
 * Takes "folder/.." and "./" out of a path, in place, and returns it: clang finds headers as
 * /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector, and every folder of a project names its
 * neighbours' files in its own way. Where a folder is a symbolic link and the shorter name would be another file's,
 * the path stays as it is. Null stays null.
 */
char *sn_source_fold(char *path);

#endif
