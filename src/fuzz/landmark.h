/*
 * landmark.h: a schedule in words of the source, so that it survives an edit and a rebuild: turns,
 * each ending at a place, and each place with its function, operation and source line. In another
 * build a place is where the same function does the same with the same text, the nearest by line.
 */
#ifndef SN_FUZZ_LANDMARK_H
#define SN_FUZZ_LANDMARK_H

#include <jansson.h>

#include "fuzz/execute.h"
#include "fuzz/goal.h"

/* Of an execution that was run with `count` in its schedule. */
json_t *sn_landmarks_make(const struct sn_execution *e, const struct sn_goal *g);

struct sn_landmarks_found {
    size_t places, there; /* of the schedule; of them in this build */
    bool goal_there;      /* both racing accesses are */
};

/* The schedule and the goal's places in the program as it is built now. g's names are borrowed from
 * `from` and s. 0, or an exit status after a message. */
int sn_landmarks_apply(const json_t *from, struct sn_runner *r, struct sn_schedule *s,
                       struct sn_goal *g, struct sn_landmarks_found *found);

#endif
