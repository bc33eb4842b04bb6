/* recheck.h: a job (job.h): one open document is checked, with the program that it is part of. */
#ifndef SN_LSP_RECHECK_H
#define SN_LSP_RECHECK_H

#include "lsp/config.h"
#include "lsp/document.h"

struct sn_recheck {
    struct sn_documents *docs;
    const struct sn_document *d;
    const struct sn_lsp_config *config;
    const char *lib_dir;
    const char *cache;  /* folder of compiled units */
    const char *folder; /* the job's own */
};

/* arg is a struct sn_recheck. An object: findings, messages, failed, exhausted, concurrent,
 * shares (other units were part of it). */
json_t *sn_recheck(void *arg, const char *folder);

#endif
