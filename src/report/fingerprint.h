/* fingerprint.h: what a finding is when lines have moved. */
#ifndef SN_REPORT_FINGERPRINT_H
#define SN_REPORT_FINGERPRINT_H

#include "store/finding.h"

/* 32 hexadecimal digits of the kind, the object, and of each side its function, file, called
 * function and the text of its line without blanks (not whether it reads or writes: of `n++` either
 * is seen): the same after code was added above, or the file was
 * indented anew. Without the source the rest has to do. malloc. */
char *sn_fingerprint(const struct sn_finding *f);

#endif
