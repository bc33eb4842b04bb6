/*
 * invariants.h: what was learned about a program: places, who came before whom, how often. In the
 * store every fact is a row of its own, so that stores unite as sets; in memory it is a table.
 *
 * Ownership: a struct sn_inv owns all it has.
 */
#ifndef SN_GUARD_INVARIANTS_H
#define SN_GUARD_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/keys.h"
#include "engine/guard/record.h"
#include "store/store.h"
#include "symbol/map.h"

struct sn_inv_place {
    char *key;
    uint64_t count;    /* accesses in all runs, so far as known */
    int module;        /* where it is now; -1: gone, or its module is */
    uint32_t function; /* same number: one function of the source, which will be compiled anew if
                          nothing is guarded there; 0: that is not known, or it will not; less than
                          the number of places */
    uint64_t returns;
    uint32_t same; /* the place that it has become one with (again.c); 0: none */
    bool chosen;   /* SNAG_INS_THIS_ADDR */
    uint32_t lock; /* place of its first lock; 0 none */
    /* worked out by sn_inv_select() */
    bool needed, kept;
    bool hot;       /* it is left out because its group is hot (Algorithm 2) */
    bool light;     /* it is checked, but not recorded (light.c) */
    bool reads;     /* it writes nothing (light.c) */
    bool plain;     /* it reads, and begins no write */
    bool behind;    /* it is left out: an access of its own thread stands for it (behind.c) */
    bool stays;     /* a read that many threads may have been the last at (usual.c) */
    uint32_t after; /* right after this one nothing is asked again; 0: none (usual.c) */
    uint32_t group; /* Algorithm 2: a place that stands for all that share memory */
    uint32_t *set;  /* belonging set, sorted; 0 is nil */
    size_t nset, set_cap;
};

struct sn_inv_pair {
    uint32_t site, pred; /* places; 0 is nil */
    uint8_t what;        /* enum sn_guard_pair */
    bool fresh;          /* not in the store yet */
    size_t run;          /* number of the run that brought it; SIZE_MAX: not known */
};

/* A place may stand in the code more than once, when the program was compiled anew (again.c). */
struct sn_inv_copy {
    uint32_t place;
    uint64_t returns;
};

/* Processor time, and the accesses in it (cost.c). */
struct sn_inv_time {
    uint64_t user_us, system_us, accesses; /* 0: not known */
};

struct sn_inv {
    char *program; /* base name: what the store calls it */
    struct sn_keys *keys;
    struct sn_inv_place *place; /* [0] is nil */
    size_t n, cap;
    struct sn_map by_key; /* hash -> place */
    struct sn_inv_pair *pair;
    size_t npairs, pair_cap;
    struct sn_map by_pair; /* hash -> pair */
    struct sn_inv_copy *copy;
    size_t ncopies, copy_cap;
    char **path; /* modules: paths */
    size_t npaths, path_cap;
    uint32_t *news; /* new pairs of each correct run */
    size_t nruns, run_cap;
    uint32_t failed; /* runs that were not correct */
    struct sn_inv_time time;  /* of training */
    struct sn_inv_time speed; /* of runs whose accesses were only counted */
    uint32_t speed_runs;
};

void sn_inv_init(struct sn_inv *v, const char *program);
void sn_inv_clear(struct sn_inv *v);
/* 0, or -errno after which sn_store_error() has words. */
int sn_inv_read_store(struct sn_inv *v, struct sn_store *s);
int sn_inv_write_store(struct sn_inv *v, struct sn_store *s);

uint32_t sn_inv_place(struct sn_inv *v, const char *key); /* made if needed */
bool sn_inv_known(struct sn_inv *v, const char *key, uint32_t *place);
/* True: it is new. */
bool sn_inv_has(const struct sn_inv *v, uint32_t site, uint32_t pred, enum sn_guard_pair what);
bool sn_inv_add(struct sn_inv *v, uint32_t site, uint32_t pred, enum sn_guard_pair what);
/* An order that is in doubt (learn.c): seen in a second run, it is one. True: it is one now. */
bool sn_inv_doubt(struct sn_inv *v, uint32_t site, uint32_t pred);
/* Finds all places in the modules as they are now; returns how many are gone. `program` is its
 * path. */
size_t sn_inv_locate(struct sn_inv *v, const char *program);
/* again.c: those of `module`, compiled anew, that have other names in it than they had in module
 * `old` of `was`. After sn_inv_locate(). */
void sn_inv_find_again(struct sn_inv *v, int module, const struct sn_inv *was, int old);
/* Correct runs since the last one that brought something new. */
size_t sn_inv_quiet_runs(const struct sn_inv *v);

/* take_in.c: what the processes of a run left. */
struct sn_inv_violation {
    uint32_t site, pred;
    bool resolved;
    uint32_t ms;
};

struct sn_inv_run {
    struct sn_inv_violation *violation;
    size_t n, cap;
    uint32_t news;
};

/* learn: add the run's pairs and counts. Violations are read in any case. 0 or -errno. */
int sn_inv_take_in(struct sn_inv *v, const char *run_dir, bool learn, struct sn_inv_run *run);
void sn_inv_run_clear(struct sn_inv_run *run);

/* select.c */
struct sn_inv_choice {
    double bias; /* groups with a larger part of all shared accesses are left out; 0: none */
    const struct sn_inv *was; /* what is hot was found out there (again.c); null: here */
    bool annotated;           /* only what the annotations name */
    bool light;               /* spare what changes no verdict (light.c) */
    bool behind;              /* and what an access before it stands for (behind.c) */
    const bool *drop;         /* by place: it is left out (cost.c); null: none */
    const uint32_t *only;     /* only these places (an emergency patch); null: all */
    size_t nonly;
    bool (*can)(void *arg, const struct sn_inv_place *p); /* null: all can be guarded */
    void *arg;
};

struct sn_inv_group {
    uint32_t group;
    double part; /* of all shared accesses */
    size_t places;
    uint32_t hottest; /* place */
    bool dropped;     /* it is left out, or most of it is */
};

void sn_inv_select(struct sn_inv *v, const struct sn_inv_choice *c);
/* light.c */
void sn_inv_light(struct sn_inv *v);     /* fills light */
void sn_inv_drop_idle(struct sn_inv *v); /* when the sets are there: whom nobody can violate */
/* behind.c: when the sets are there, takes out who makes no difference to any verdict */
void sn_inv_behind(struct sn_inv *v);
/* usual.c: after sn_inv_select(); fills after and stays */
void sn_inv_usual(struct sn_inv *v);
/* After sn_inv_select(): largest first. malloc. */
struct sn_inv_group *sn_inv_groups(const struct sn_inv *v, size_t *n);

/* cost.c: after sn_inv_select(). What guarding costs, in percent of the program's processor time,
 * and what calls that are gone cost besides; 0: training does not tell. */
double sn_inv_cost(const struct sn_inv *v, double *gone);
/* Milliseconds of processor time that a run takes at full speed; 0: no run has shown it. */
double sn_inv_run_ms(const struct sn_inv *v);
/* What is guarded of a group costs, with what is left out because it is hot. */
double sn_inv_cost_of(const struct sn_inv *v, uint32_t group);
/* By place: what is to be left out for that cost of both, whole groups, the most expensive ones;
 * but not the places that must stay. malloc. */
bool *sn_inv_too_much(const struct sn_inv *v, double percent, const bool *must);

/* points.c: Algorithm 3. */
struct sn_inv_point {
    uint32_t stall; /* place before which a thread is held back: a lock or the access itself */
    uint32_t first, then; /* the order that is to be turned around */
};
struct sn_inv_point *sn_inv_points(const struct sn_inv *v, size_t *n); /* malloc */

/* file.c: RUN_DIR/invariants.bin. stall: places to hold back at (expose). 0 or -errno. */
int sn_inv_write_file(const struct sn_inv *v, const char *run_dir, const uint32_t *stall,
                      size_t nstall);

/* Guarded, and others see it. */
static inline bool sn_inv_is_recorded(const struct sn_inv_place *p)
{
    return p->kept && !p->light;
}

static inline bool sn_inv_in_set(const struct sn_inv_place *p, uint32_t member)
{
    for (size_t i = 0; i < p->nset; i++)
        if (p->set[i] == member)
            return true;
    return false;
}

/* Sets ascend. */
static inline bool sn_inv_is_subset(const struct sn_inv_place *a, const struct sn_inv_place *of)
{
    size_t k = 0;
    for (size_t i = 0; i < a->nset; i++, k++) {
        while (k < of->nset && of->set[k] < a->set[i])
            k++;
        if (k == of->nset || of->set[k] != a->set[i])
            return false;
    }
    return true;
}

#endif
