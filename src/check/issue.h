/*
 * issue.h: what the interpretation has found, as numbers into the bytecode; made into findings
 * (finding.h) at the end. An issue is kept once per kind and places; a later, surer sighting
 * makes it surer.
 */
#ifndef SN_CHECK_ISSUE_H
#define SN_CHECK_ISSUE_H

#include "check/vm.h"
#include "core/runfile.h"

#define SN_ISSUE_SITES 8 /* of a deadlock: longer cycles are told by their first eight */
#define SN_ISSUE_LOCKS 8
#define SN_ISSUE_ANCESTORS 4

struct sn_issue_lock {
    char *name;
    bool shared;
    uint32_t pc, ctx; /* where it was taken */
};

struct sn_issue_site {
    int32_t task;
    enum sn_op op;
    char *call;       /* SN_OP_CALL: the function */
    char *note;
    char *wants;      /* the lock that it waits for */
    uint32_t bytes;
    uint32_t pc, ctx;
    uint32_t epoch;   /* of an access; else 0 */
    bool locks_known;
    uint32_t nlocks;
    struct sn_issue_lock lock[SN_ISSUE_LOCKS];
    /* Where the task was created, by whom, and so on upwards. */
    uint32_t nmade;
    struct sn_place_of made[SN_ISSUE_ANCESTORS];
};

#define SN_ISSUE_STEPS 16

struct sn_issue_step {
    uint32_t task, pc;
    char *what;
};

struct sn_issue_object {
    enum sn_object_kind kind;
    char *name;
    uint64_t bytes, offset;
    uint32_t file, line; /* string, or SN_NONE */
    bool has_alloc, freed;
    struct sn_place_of alloc;
};

struct sn_issue {
    enum sn_kind kind;
    uint32_t vague_pc;  /* if not exact: the instruction that something unknown decided, or SN_NONE */
    bool exact;         /* reached without anything uninterpreted having decided */
    bool by_input;      /* if not exact: only inputs have decided, and any may come */
    char *text;         /* misuse: what; else extra words, or null */
    struct sn_issue_object object;
    struct sn_issue_site site[SN_ISSUE_SITES];
    uint32_t nsite;
    struct sn_issue_step step[SN_ISSUE_STEPS]; /* the interleaving of the first run that showed it */
    uint32_t nstep;
    uint64_t hits;
    uint64_t run;       /* the first run that showed it */
    uint64_t key;
};

#define SN_ISSUE_SEEN 4096u

struct sn_issues {
    struct sn_issue *issue;
    size_t n, cap;
    uint64_t run;       /* the one that is going on */
    uint64_t lost;      /* beyond the limit */
    uint64_t seen[SN_ISSUE_SEEN]; /* pairs of instructions that were told already: a cache */
};

void sn_issues_free(struct sn_issues *all);

/* `now` is the access of task t that is about to be recorded, `old` the one it races with. */
void sn_issue_race(struct sn_vm *vm, struct sn_task *t, uint64_t addr, const struct sn_vaccess *now,
                   const struct sn_vaccess *old);
/* A call of a library function, as its contract sees it. */
struct sn_issue_call {
    uint32_t epoch, pc, ctx, func;
    uint16_t locks;
};
/* Two calls that `file`:`line` of a contract does not let overlap on one object of that type. */
void sn_issue_overlap(struct sn_vm *vm, const char *type, const char *file, uint32_t line,
                      const struct sn_issue_call *now, const struct sn_issue_call *old);
/* n tasks, each waiting for the next; a single one waits for itself. */
void sn_issue_deadlock(struct sn_vm *vm, struct sn_task *const *cycle, size_t n, const char *text);
/* Something certain and wrong that task t does now; other may be null. addr 0: no object. */
void sn_issue_misuse(struct sn_vm *vm, struct sn_task *t, const char *what, const char *call,
                     uint64_t addr, const struct sn_place_of *other, const char *other_note);
/* The program would be ended by a signal here. Ends the run. */
enum sn_result sn_crash(struct sn_vm *vm, struct sn_task *t, const char *what);
#endif
