/*
 * sites.h: one number for all sites of one source position, whatever called it, so that a race is
 * found once. Numbers are those of the first site with that position: the same in every process
 * that reads the same trace.
 */
#ifndef SN_PREDICT_SITES_H
#define SN_PREDICT_SITES_H

#include "trace/trace.h"

struct sn_sites;

struct sn_sites *sn_sites_new(const struct sn_trace *t);
void sn_sites_free(struct sn_sites *s);
uint32_t sn_sites_key(struct sn_sites *s, uint32_t site); /* 0: unknown */

#endif
