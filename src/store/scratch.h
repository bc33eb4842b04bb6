/* scratch.h: temporary folders. */
#ifndef SN_STORE_SCRATCH_H
#define SN_STORE_SCRATCH_H

char *
sn_scratch_make(const char *name); /* a new one below $TMPDIR (malloc); null: errno says why */
void sn_scratch_remove(const char *folder); /* with all that is in it */

#endif
