/*
 * trapset.h: what `snag run` remembers from run to run: pairs of places that nearly conflicted, by
 * stable keys (module, function, file, line, column, called function), so that they outlive a
 * rebuild.
 */
#ifndef SN_CMD_TRAPSET_H
#define SN_CMD_TRAPSET_H

#include <jansson.h>
#include <stddef.h>

struct sn_store;

/* The pairs of `program` from the store into the run folder. 0, or -errno. */
int sn_trapset_load(struct sn_store *store, const char *program, const char *run_dir);
/* What the run's processes left: pairs into the store (null: nowhere); points into the object `points`
 * (null: not wanted), by their place: what it is, concurrent, delays. 0, or -errno. */
int sn_trapset_save(struct sn_store *store, const char *program, const char *run_dir,
                    json_t *points);

#endif
