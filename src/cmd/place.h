/*
 * place.h: where snag's own parts are. The build folder and an installation have the same shape
 * around the executable, so snag works from both: build/snag and build/lib, PREFIX/bin/snag and
 * PREFIX/lib/snag.
 */
#ifndef SN_CMD_PLACE_H
#define SN_CMD_PLACE_H

/* The folder of libsnag-*.so, absolute; null, after a message, when it is not there. Static. */
const char *sn_place_lib(void);
/* Path of the snag executable. Static. */
const char *sn_place_exe(void);
/* The folder of *.contract; null, after a message, when it is not there. Static. */
const char *sn_place_contracts(void);
/* DIR/libsnag-ENGINE.so (malloc), or null, after a message, when it was not built. */
char *sn_place_engine(const char *engine);

#endif
