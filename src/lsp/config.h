/*
 * config.h: what the user has set, from initializationOptions and from the settings under "snag".
 * Ownership: a config owns its strings.
 */
#ifndef SN_LSP_CONFIG_H
#define SN_LSP_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/words.h"

struct sn_lsp_config {
    char *entry;             /* function to begin with, null: main and so on */
    char *compile_commands;  /* folder of compile_commands.json; null: looked for */
    struct sn_words flags;   /* for files that no database names */
    struct sn_words program; /* command line to confirm with; empty: the file is built */
    int64_t steps, steps_per_run, heap, seed;
    int64_t debounce_ms;
    bool candidates;    /* show what rests on unknown values, too */
    bool on_change;     /* check while typing; else only at open and save */
    bool whole_program; /* with the other units of its program; else the file alone */
};

void sn_lsp_config_init(struct sn_lsp_config *c);
/* Takes over what j has; what it does not have, or has in the wrong type, stays. Unknown names are
 * passed over. */
void sn_lsp_config_read(struct sn_lsp_config *c, const json_t *j);
void sn_lsp_config_free(struct sn_lsp_config *c);

#endif
