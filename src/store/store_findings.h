/* store_findings.h: inside src/store only: how a finding's row takes in another of the same key. */
#ifndef SN_STORE_STORE_FINDINGS_H
#define SN_STORE_STORE_FINDINGS_H

#define SN_SQL_UNITE                                                                               \
    " ON CONFLICT(key) DO UPDATE SET"                                                              \
    " engine = CASE WHEN (excluded.status, excluded.engine) > (status, engine)"                    \
    "   THEN excluded.engine ELSE engine END,"                                                     \
    " status = max(status, excluded.status),"                                                      \
    " effect = CASE WHEN (excluded.harmful, excluded.effect) > (harmful, effect)"                  \
    "   THEN excluded.effect ELSE effect END,"                                                     \
    " harmful = max(harmful, excluded.harmful),"                                                   \
    " schedule = max(schedule, excluded.schedule),"                                                \
    " body = CASE WHEN (excluded.weight, excluded.body) > (weight, body)"                          \
    "   THEN excluded.body ELSE body END,"                                                         \
    " weight = max(weight, excluded.weight)"

#endif
