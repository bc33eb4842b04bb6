/*
 * confirm.h: a job (job.h): a finding is put into the store, the program is built with `snag cc`
 * unless the user names it, and `snag fuzz` tries to make the finding happen.
 */
#ifndef SN_LSP_CONFIRM_H
#define SN_LSP_CONFIRM_H

#include "lsp/config.h"
#include "store/finding.h"

struct sn_confirm {
    struct sn_finding finding;
    const char *file; /* to build */
    const char *root; /* folder of the project: the store is in it */
    const struct sn_lsp_config *config;
};

/* arg is a struct sn_confirm. An object: key, status ("confirmed", …, or absent), message. */
json_t *sn_confirm(void *arg, const char *folder);

#endif
