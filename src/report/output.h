/* output.h: where a form of the report goes. */
#ifndef SN_REPORT_OUTPUT_H
#define SN_REPORT_OUTPUT_H

#include <stdio.h>

/* Calls write(out, arg) with a stream to the file, "-" is stdout. A regular file appears whole or
 * not at all. 0, or -errno after a message on stderr. */
int sn_output(const char *file, void (*write)(FILE *out, const void *arg), const void *arg);

#endif
