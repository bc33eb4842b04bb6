/* stream.h: a trace from an open stream. Apart from trace.h, because the encoder knows no stdio. */
#ifndef SN_TRACE_STREAM_H
#define SN_TRACE_STREAM_H

#include <stdio.h>

#include "trace/trace.h"

/* As sn_trace_open(). The stream becomes the trace's, whatever happens; `name` is for messages. */
int sn_trace_open_stream(FILE *in, const char *name, struct sn_trace **out, char **why);

#endif
