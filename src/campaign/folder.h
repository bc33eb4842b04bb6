/* folder.h: files and folders of a campaign: whole or not at all. */
#ifndef SN_CAMPAIGN_FOLDER_H
#define SN_CAMPAIGN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

int sn_folder_make(const char *path);   /* mkdir -p. 0 or -errno */
int sn_folder_remove(const char *path); /* rm -rf. 0 or -errno; it is no error that there is none */
/* The whole file, with a zero after it (malloc). 0 or -errno. */
int sn_file_read(const char *path, char **text, size_t *bytes);
/* Replaces the file at once: a reader sees the old text or the new one. 0 or -errno. */
int sn_file_write(const char *path, const char *text, bool executable);
/* One line more, in one write. 0 or -errno. */
int sn_file_append(const char *path, const char *line);
bool sn_file_exists(const char *path);
/* `path` below `folder` unless it is absolute (malloc); not resolved. */
char *sn_path_below(const char *folder, const char *path);
/* The same without links, "." and ".."; the path itself when it does not exist. malloc. */
char *sn_path_real(const char *path);

#endif
