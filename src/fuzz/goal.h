/*
 * goal.h: what an execution must show again for a replay to count: two threads before the racing
 * accesses, or a bad end, or both. As JSON it is kept in the store beside the schedule, with the
 * program that it belongs to.
 */
#ifndef SN_FUZZ_GOAL_H
#define SN_FUZZ_GOAL_H

#include <jansson.h>
#include <stdbool.h>

#include "fuzz/execute.h"
#include "fuzz/schedule.h"

struct sn_goal {
    bool race;                /* the pair must be hit */
    struct sn_code_site a, b; /* borrowed names */
    enum sn_end end;          /* SN_END_OK: any end will do */
    int status;               /* of SN_END_SIGNAL and SN_END_STATUS */
};

bool sn_goal_hit(const struct sn_goal *g, const struct sn_execution *e); /* the pair alone */
bool sn_goal_met(const struct sn_goal *g, const struct sn_execution *e);

/* A stored schedule: everything that `snag replay` needs. */
struct sn_saved {
    char *program, *folder; /* absolute */
    char **argv;            /* argv[0] as the program saw it */
    struct sn_goal goal;
    int expected;
    double timeout_s;
    char *build; /* what the program's file was: size and time */
    struct sn_schedule schedule;
    json_t *landmarks; /* borrowed; null: none */
    json_t *json;      /* owns the strings */
};

char *sn_saved_to_text(const struct sn_saved *s);                         /* malloc */
int sn_saved_from_text(const char *text, size_t n, struct sn_saved *out); /* 0 or -EINVAL */
void sn_saved_clear(struct sn_saved *s);
/* What a file has in it, to see whether it was built again. malloc. */
char *sn_saved_build(const char *path);

#endif
