/*
 * tables.h: the tables of one trace, filled by whichever form is read. Ownership: the tables own
 * every string; adders copy.
 */
#ifndef SN_TRACE_TABLES_H
#define SN_TRACE_TABLES_H

#include "trace/trace.h"

struct sn_trace_tables {
    struct sn_trace_site *site; /* [0] is unused */
    uint32_t nsites, cap_sites;
    struct sn_trace_module *module;
    uint32_t nmodules, cap_modules;
    struct sn_trace_name *name; /* sorted by address */
    uint32_t nnames, cap_names;
    char **expect;
    uint32_t nexpects, cap_expects;
};

/* Each is 0, -ENOMEM, or -EINVAL for a number that leaves a hole or comes twice. Strings are given
 * by length. */
int sn_tables_site(struct sn_trace_tables *t, uint32_t number, const struct sn_trace_site *s,
                   const char *where, size_t bytes);
int sn_tables_module(struct sn_trace_tables *t, uint32_t number, const struct sn_trace_module *m,
                     const char *path, size_t bytes);
int sn_tables_name(struct sn_trace_tables *t, uint64_t addr, uint64_t size, const char *name,
                   size_t bytes);
int sn_tables_expect(struct sn_trace_tables *t, const char *line);
const struct sn_trace_name *sn_tables_name_at(const struct sn_trace_tables *t, uint64_t addr);
void sn_tables_free(struct sn_trace_tables *t);

#endif
