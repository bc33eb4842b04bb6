/*
 * run_dir.h: the folder into which the processes of one run write their run files:
 * STORE/runs/XXXXXX, or a folder below TMPDIR when nothing is stored. It goes when its files were
 * read.
 */
#ifndef SN_CMD_RUN_DIR_H
#define SN_CMD_RUN_DIR_H

/* store: the store's folder, or null. 0 and the absolute path in *out, or -errno with a sentence in
 * *why (both malloc). */
int sn_run_dir_make(const char *store, char **out, char **why);
/* The same, in memory if there is room: for thousands of short runs. */
int sn_run_dir_make_quick(const char *store, char **out, char **why);
/* With its files. A folder that cannot be removed stays: it harms no one. */
void sn_run_dir_remove(const char *path);

#endif
