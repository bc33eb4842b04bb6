/*
 * form.h: what the two forms of a trace have in common inside this folder: a struct sn_trace is the
 * tables, the input, and the reader of one form.
 */
#ifndef SN_TRACE_FORM_H
#define SN_TRACE_FORM_H

#include <stdio.h>

#include "trace/tables.h"

struct sn_binary_reader;
struct sn_text_reader;

struct sn_trace {
    struct sn_trace_tables tables;
    FILE *in;
    struct sn_binary_reader *binary; /* one of the two */
    struct sn_text_reader *text;
    char why[256];
};

/* Says why, returns -EBADMSG. */
int sn_trace_fail(struct sn_trace *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct sn_binary_reader *sn_binary_reader_new(void); /* null: out of memory */
void sn_binary_reader_free(struct sn_binary_reader *r);
int sn_binary_reader_head(struct sn_trace *t); /* checks the file's head: 0 or -EBADMSG */
int sn_binary_reader_next(struct sn_trace *t, struct sn_trace_event *ev);

struct sn_text_reader *sn_text_reader_new(void);
void sn_text_reader_free(struct sn_text_reader *r);
int sn_text_reader_next(struct sn_trace *t, struct sn_trace_event *ev);

#endif
