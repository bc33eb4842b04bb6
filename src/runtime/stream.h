/* stream.h: what the stdio hooks share. */
#ifndef SN_RUNTIME_STREAM_H
#define SN_RUNTIME_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Data came in through f, or is about to go out: an edge when f is a channel between threads. */
void sn_stream_edge(FILE *f, bool in, uintptr_t pc);

#endif
