/*
 * source.h: excerpts of source files. Files are read once and kept for the life of the command.
 */
#ifndef SN_REPORT_SOURCE_H
#define SN_REPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* Line `line` (from 1) of a file as text for a screen: tabs are spaces, bad bytes and control
 * characters are replaced, long lines are cut. column (from 1, in bytes; 0: none) becomes the
 * screen column in *screen_column. Null when the file or the line cannot be had. malloc. */
char *sn_source_line(const char *path, int line, int column, int *screen_column);
/* The path as a user would type it: relative when it is below the current folder. Points into
 * `path`. */
const char *sn_source_short(const char *path);

#endif
