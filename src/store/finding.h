/*
 * finding.h: the one finding record that every engine, the store and every report share.
 *
 * Ownership: a struct sn_finding owns all its strings and arrays (malloc); sn_finding_free() gives
 * back the whole. Setters copy. Absent strings are null, absent numbers are 0 or -1 as said:
 * unknown things are absent, never invented.
 */
#ifndef SN_STORE_FINDING_H
#define SN_STORE_FINDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/runfile.h" /* enum sn_kind, sn_status, sn_op, sn_object_kind */

/* A source position in a stack; innermost first in arrays. */
struct sn_frame {
    char *function; /* null: unknown */
    char *file;     /* null: unknown; path as the compiler saw it, made absolute by comp_dir */
    int line, column; /* 0: unknown */
    char *module;   /* file name of the module; null for static findings */
    uint64_t offset; /* in the module: ELF virtual address */
    bool inlined;
};

struct sn_stack {
    struct sn_frame *frame;
    size_t n;
};

struct sn_held_lock {
    char *name;          /* "m", "heap lock #3", …; stable */
    bool shared;
    struct sn_stack taken;
    struct sn_stack alloc; /* a lock in a heap block: where that was allocated */
};

struct sn_site {
    int64_t thread;      /* -1: unknown */
    enum sn_op op;
    char *call;          /* SN_OP_CALL: the function's name */
    char *note;          /* extra words, e.g. "waits for lock b" */
    char *wants;         /* deadlock, lock-order: the lock it waits for or takes here */
    uint64_t size;       /* bytes, 0 unknown */
    bool locks_known;
    struct sn_held_lock *locks;
    size_t nlocks;
    struct sn_stack stack;
    struct sn_stack created; /* where the thread was created */
    int64_t creator;         /* -1: unknown or the main thread */
};

struct sn_object {
    enum sn_object_kind kind; /* SN_OBJ_UNKNOWN: no object is shown */
    char *name;               /* variable, block, contract type */
    char *member;             /* part of the variable that is accessed: "lock[3].owner" */
    uint64_t size;
    uint64_t offset;          /* of the access in the object */
    bool has_offset;
    char *file;
    int line;
    struct sn_stack alloc;
    bool freed;
};

/* A step of an interleaving, for timelines. */
struct sn_step {
    int64_t thread;
    char *what;          /* "write counter", "lock m", … */
    struct sn_frame at;
};

/* Whether somebody has said that it is known (report/judge.h). */
enum sn_known { SN_NEW, SN_IN_BASELINE, SN_SUPPRESSED };

struct sn_finding {
    int64_t id;          /* 0: not in a store yet */
    enum sn_kind kind;
    enum sn_status status;
    char *engine;        /* command that found it: "race", "run", "fuzz", … */
    char *title;         /* sn_finding_title() makes it; stable over runs */
    int harmful;         /* 1 yes, 0 no effect seen, -1 not known */
    char *effect;
    char *text;          /* extra words of the engine */
    struct sn_object object;
    struct sn_site *sites;
    size_t nsites;
    struct sn_step *steps; /* minimised interleaving, when known */
    size_t nsteps;
    char *key;           /* sn_finding_key(): what makes two findings the same */
    int64_t hits;
    int64_t first_run;
    enum sn_known known; /* not stored with it */
    bool has_schedule;   /* the store keeps a schedule: `snag replay ID` works */
    bool is_new;         /* found by this campaign, by none before; not stored */
};

struct sn_findings {
    struct sn_finding *f;
    size_t n, cap;
};

const char *sn_kind_name(enum sn_kind k);     /* "data-race", … as in the JSON */
const char *sn_status_name(enum sn_status s);
const char *sn_op_name(enum sn_op op);        /* "call" for SN_OP_CALL */
const char *sn_object_kind_name(enum sn_object_kind k);
int sn_kind_parse(const char *s, enum sn_kind *k); /* 0 or -EINVAL */
int sn_status_parse(const char *s, enum sn_status *st);

/* The frame that a user thinks of: the innermost with a source file that is neither snag's own nor a
 * system header (so that two uses of std::vector are two places); else the innermost with a source
 * file; else the innermost; null when the stack is empty. */
const struct sn_frame *sn_stack_frame(const struct sn_stack *s);
const struct sn_frame *sn_site_frame(const struct sn_site *s); /* of the site's stack */
bool sn_frame_is_system(const struct sn_frame *f); /* in a system header or a C++ runtime library */
bool sn_module_is_snag(const char *path); /* the runtime library itself, under any of its names */
/* Stable key: kind and the sorted site keys (function, base name of file, line, column, ordinal);
 * independent of address randomisation and of the order of the two threads. */
char *sn_finding_key(const struct sn_finding *f);
char *sn_finding_title(const struct sn_finding *f);
/* Puts the sites into their canonical order (cycles are turned, not sorted), then fills key and
 * title. Every engine calls it once on a complete finding. */
void sn_finding_finish(struct sn_finding *f);
void sn_finding_clear(struct sn_finding *f);
/* Appends an empty finding (all zero, harmful -1) and returns it, valid until the next add; ends the
 * command when memory is out, as all of the CLI does. */
struct sn_finding *sn_findings_add(struct sn_findings *all);
void sn_findings_free(struct sn_findings *all);
/* Sorts by key and makes equal ones one: hits add up, the stronger status and the fuller record win,
 * whatever the order was. */
void sn_findings_unite(struct sn_findings *all);
/* How much a record tells; the fuller of two records of one finding is kept. */
int64_t sn_finding_weight(const struct sn_finding *f);
/* Deep copies: the target's old content is not freed. */
void sn_stack_copy(struct sn_stack *to, const struct sn_stack *from);
void sn_frame_copy(struct sn_frame *to, const struct sn_frame *from);
void sn_stack_clear(struct sn_stack *s);
void sn_object_clear(struct sn_object *o);
void sn_site_clear(struct sn_site *s);

/* The JSON form of CLI.md; `from` reads what `to` wrote. */
json_t *sn_finding_to_json(const struct sn_finding *f);
int sn_finding_from_json(const json_t *j, struct sn_finding *f);
/* What a finding is without what changes from store to store and run to run (id, hits, status, …):
 * compact, keys sorted; equal findings give equal bytes. malloc. */
char *sn_finding_body(const struct sn_finding *f);

#endif
