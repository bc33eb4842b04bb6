/* options.h: the runtime's options, filled once before main from SNAG_RT. */
#ifndef SN_CORE_OPTIONS_H
#define SN_CORE_OPTIONS_H

#include <stdint.h>

struct sn_options {
#define SN_OPT_NUM(name, def, help) int64_t name;
#define SN_OPT_STR(name, def, help) char name[256];
#include "core/options.def"
#undef SN_OPT_NUM
#undef SN_OPT_STR
};

extern struct sn_options sn_opt;

/* Reads "name=value name=value". Unknown names are ignored: the CLI has checked them. */
void sn_options_parse(struct sn_options *o, const char *text);

#endif
