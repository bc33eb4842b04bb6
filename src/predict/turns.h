/*
 * turns.h: a witness as a schedule that the controlled scheduler can run (fuzz/prove.h): turns, each
 * up to the statement before which the thread has to stand.
 *
 * Ownership: a struct sn_turns owns its arrays; schedules are the caller's.
 */
#ifndef SN_PREDICT_TURNS_H
#define SN_PREDICT_TURNS_H

#include "fuzz/schedule.h"
#include "predict/predict.h"

struct sn_turns;

/* Reads the trace's first `events` events; null: it cannot be read. */
struct sn_turns *sn_turns_new(const char *path, uint64_t events);
/* False when the witness is too long, or has no code positions: *out is then empty. */
bool sn_turns_of(const struct sn_turns *h, const struct sn_predicted *p, struct sn_schedule *out);
void sn_turns_free(struct sn_turns *h);

#endif
