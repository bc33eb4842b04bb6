/*
 * server.h: the language server: messages in, messages out, and the check of what is open in
 * between. One thread; checks run as jobs (job.h).
 */
#ifndef SN_LSP_SERVER_H
#define SN_LSP_SERVER_H

#include <stdio.h>

#include "lsp/config.h"
#include "lsp/document.h"
#include "lsp/job.h"

struct sn_lsp {
    FILE *out;
    const char *lib_dir;
    struct sn_lsp_config config;
    struct sn_documents docs;
    json_t *marks; /* what was published: URI -> diagnostics */
    struct sn_job check, confirm;
    char *cache, *root;
    bool initialized, shut_down, done;
    bool pulls_config;   /* the client answers workspace/configuration */
    json_int_t requests; /* numbers of our own */
    json_int_t config_request;
};

/* Reads from `in` until exit or end of input. The exit status of the command. */
int sn_lsp_serve(int in, FILE *out, const char *lib_dir);

/* answer.c: one message. */
void sn_lsp_answer(struct sn_lsp *s, const json_t *message);

/* For both. */
void sn_lsp_notify(struct sn_lsp *s, const char *method, json_t *params);
void sn_lsp_log(struct sn_lsp *s, const char *text);
void sn_lsp_show(struct sn_lsp *s, const char *text);
void sn_lsp_publish(struct sn_lsp *s,
                    const char *always); /* always: a URI, also when nothing changed */
void sn_lsp_touch(struct sn_lsp *s, struct sn_document *d, bool at_once); /* it has changed */
void sn_lsp_touch_all(struct sn_lsp *s);

#endif
