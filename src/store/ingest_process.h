/*
 * ingest_process.h: inside src/store only: one process's run file while it is being taken in.
 */
#ifndef SN_STORE_INGEST_PROCESS_H
#define SN_STORE_INGEST_PROCESS_H

#include "store/ingest.h"
#include "store/runreader.h"
#include "symbol/symbol.h"

struct sn_ingest_module {
    bool known;
    bool snag;       /* the runtime itself */
    unsigned handle; /* of the symboliser */
    char *name;      /* base name of the path */
    uint64_t base, start, end;
};

struct sn_ingest_process {
    struct sn_run_file *file;
    struct sn_symboliser *symbols;
    struct sn_ingest_module *module; /* by index */
    size_t nmodules;
    struct sn_run_edge *edge;
    size_t nedges, cap_edges;
    struct sn_run_lock_info *lock; /* sorted by id once all are read */
    size_t nlocks, cap_locks;
    struct sn_run_stack *stack; /* likewise */
    size_t nstacks, cap_stacks;
};

/* ingest_finding.c */
void sn_ingest_finding(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                       struct sn_finding *f);
struct sn_lock_cycle;
void sn_ingest_cycle(struct sn_ingest_process *p, const struct sn_lock_cycle *c,
                     struct sn_finding *f);

/* ingest_name.c */
const struct sn_ingest_module *sn_ingest_module_of(const struct sn_ingest_process *p,
                                                   sn_frame_ref ref);
/* The position of a data address in a module; SN_NO_MODULE when it is in none. */
sn_frame_ref sn_ingest_ref(const struct sn_ingest_process *p, uint64_t addr);
/* Frames without those of the runtime at the top. */
void sn_ingest_stack(struct sn_ingest_process *p, const sn_frame_ref *refs, size_t n,
                     struct sn_stack *out);
char *sn_ingest_lock_name(struct sn_ingest_process *p, const struct sn_rec_lock *l);
/* Where a lock's memory was allocated, and where it was taken; empty when that is not known. */
void sn_ingest_lock_stacks(struct sn_ingest_process *p, const struct sn_rec_lock *l,
                           struct sn_held_lock *out);
/* A lock of which only the address is known, `otherwise` when that says nothing. malloc. */
char *sn_ingest_lock_at(struct sn_ingest_process *p, uint64_t addr);
void sn_ingest_object(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                      struct sn_object *o);

#endif
