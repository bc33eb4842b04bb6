/*
 * writer.h: a trace file of the binary form, written by the command: events and tables in, blocks
 * out, compressed. Also takes blocks as a recording program made them.
 */
#ifndef SN_TRACE_WRITER_H
#define SN_TRACE_WRITER_H

#include <stdio.h>

#include "trace/trace.h"

struct sn_trace_writer;

/* level: zstd's, 0 for none. The stream stays the caller's. 0 or -errno. */
int sn_trace_writer_new(FILE *out, int level, struct sn_trace_writer **writer);
/* Each is 0 or -errno; after a failure the writer only accepts sn_trace_writer_end(). */
int sn_trace_write(struct sn_trace_writer *w, const struct sn_trace_event *ev);
int sn_trace_write_site(struct sn_trace_writer *w, uint32_t number, const struct sn_trace_site *s);
int sn_trace_write_module(struct sn_trace_writer *w, uint32_t number,
                          const struct sn_trace_module *m);
int sn_trace_write_name(struct sn_trace_writer *w, const struct sn_trace_name *n);
/* Everything of `t`, tables as they turn up. 0, or -errno; -EBADMSG: sn_trace_why(t) says more. */
int sn_trace_write_all(struct sn_trace_writer *w, struct sn_trace *t);
/* Writes what is left and the last block; frees the writer. 0 or the first failure. */
int sn_trace_writer_end(struct sn_trace_writer *w);

#endif
