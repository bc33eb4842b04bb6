/*
 * unit_id.h: which unit of a campaign this process works for, from
 * SNAG_UNIT=CAMPAIGN:NUMBER:PLANNED (16 hex digits, a number from 1 on, nanoseconds since 1970).
 *
 * Runs of a unit get their uid and their date from it instead of from chance and the clock. So a
 * unit that was killed and run again, or run on two machines, counts once when stores are merged,
 * and findings are numbered by the plan, not by who was faster.
 */
#ifndef SN_STORE_UNIT_ID_H
#define SN_STORE_UNIT_ID_H

#include <stdbool.h>
#include <stdint.h>

#define SN_CAMPAIGN_BYTES 8
#define SN_CAMPAIGN_DIGITS 16
#define SN_UNIT_MAX 100000000 /* of a campaign; more are too many files for one folder anyway */

struct sn_unit_id {
    unsigned char campaign[SN_CAMPAIGN_BYTES];
    uint32_t number; /* from 1 on */
    int64_t planned_ns;
};

/* 0, or -EINVAL. */
int sn_campaign_id_parse(const char *digits, unsigned char campaign[SN_CAMPAIGN_BYTES]);
int sn_unit_id_parse(const char *text, struct sn_unit_id *out);

/* The unit of this process; null: none. Whoever reads SNAG_UNIT sets it, once, before any store is
 * opened. */
const struct sn_unit_id *sn_unit_id(void);
void sn_unit_id_set(const struct sn_unit_id *id);

/* The uid (16 bytes) and the date of the unit's run with this ordinal, from 1 on. */
void sn_unit_run(const struct sn_unit_id *id, uint32_t ordinal, unsigned char uid[16],
                 int64_t *started_ns);

#endif
