/*
 * runreader.h: raw records of one run file, checked. The file comes from a process that may have
 * been killed at any instruction, or may have overwritten it: every length is checked, nothing is
 * believed.
 *
 * Ownership: a struct sn_run_file owns a private copy of the file; what the decoders give points
 * into it and lives until sn_run_unload().
 */
#ifndef SN_STORE_RUNREADER_H
#define SN_STORE_RUNREADER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/runfile.h"

struct sn_run_file {
    struct sn_run_header header;
    uint8_t *data; /* the records, 8-byte aligned */
    size_t bytes;
    size_t at;         /* of the next record */
    size_t pending;    /* records that were being written when the process ended */
    size_t skipped;    /* bytes that made no sense */
    size_t skipped_at; /* offset in the file of the first of them */
    bool cut;          /* the file is shorter than its header says */
};

/* 0, or -errno with words in *why (malloc): unreadable, not a run file, cut off in its header, of
 * another version. */
int sn_run_load(const char *path, struct sn_run_file *f, char **why);
int sn_run_load_memory(const void *data, size_t bytes, struct sn_run_file *f, char **why);
void sn_run_unload(struct sn_run_file *f);

/* The next complete record, null at the end. After damage it goes on at the next thing that can be
 * a record. */
const struct sn_rec *sn_run_next(struct sn_run_file *f);
void sn_run_rewind(struct sn_run_file *f);

struct sn_run_module {
    const struct sn_rec_module *head;
    const char *path; /* no terminator */
    size_t path_bytes;
};

struct sn_run_site {
    const struct sn_rec_site *head;
    const char *name; /* head->name_bytes */
    const struct sn_rec_lock *locks;
    const sn_frame_ref *frames, *created;
};

#define SN_RUN_MAX_SITES 255 /* nsites is a byte */

struct sn_run_finding {
    const struct sn_rec_finding *head;
    const char *text; /* head->text_bytes */
    const sn_frame_ref *alloc;
    struct sn_run_site site[SN_RUN_MAX_SITES];
};

struct sn_run_edge {
    const struct sn_rec_lock_edge *head;
    const struct sn_rec_lock *gates;
    const sn_frame_ref *from, *to;
    const uint32_t *clock;
};

struct sn_run_lock_info {
    const struct sn_rec_lock_info *head;
    const sn_frame_ref *alloc;
};

struct sn_run_stack {
    const struct sn_rec_stack *head;
    const sn_frame_ref *frames;
};

/* 0, or -EBADMSG when the record does not hold together. */
int sn_run_module(const struct sn_rec *r, struct sn_run_module *out);
int sn_run_finding(const struct sn_rec *r, struct sn_run_finding *out);
int sn_run_edge(const struct sn_rec *r, struct sn_run_edge *out);
int sn_run_lock_info(const struct sn_rec *r, struct sn_run_lock_info *out);
int sn_run_stack(const struct sn_rec *r, struct sn_run_stack *out);
/* The payload of a message. */
int sn_run_text(const struct sn_rec *r, const char **text, size_t *bytes);

#endif
