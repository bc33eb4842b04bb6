/*
 * text.h: the text form of a trace, for people and tests. One event a line:
 *
 *     T0 create T1                      thread operations name the other thread
 *     T1 write x 4 =5 @a.c:3            object, size (4 when left out), value, site
 *     T2 read x+2 2 @b.c:9              no value: not known
 *     T2 write p 8 =&q                  the value is the address of q
 *     T2 atomic-rmw n 4 =1->2 acq_rel   value read -> value written, memory order
 *     T1 lock m @a.c:7                  further words: try timed owner-died spin shared
 *     T1 unlock m cond=c                half of a condition wait on c
 *     T1 ignore =3                      reads (1) and writes (2) are no races until `watch =3`
 *     T1 benign x 8                     nor are accesses to these bytes from now on
 *     T1 leave-code f D=x,y+8:16,T2     BarrierPair; D is all that f can reach
 *     T1 leave-code g R=p               … R are roots, followed through the object graph
 *     T1 enter-code f                   and its end
 *
 * The operations are those of core/event.def. An object is a name, name+offset or 0xADDRESS; a
 * name gets an address when it first appears. `Tn` as an object is the thread object of thread n.
 * A site is `file:line`, `function(file:line)` or `module+0xOFFSET`; callers follow after `<`:
 * `@add(a.c:3)<main(a.c:9)`. Lines that are not events:
 *
 *     name x 0x1000 8                   x is these 8 bytes
 *     block q 32 +8->x +16->y           object graph: what the block q points to
 *     module 0 base=0x… start=0x… end=0x… build=HEX PATH
 *     # expect: race a.c:3 b.c:9        kept for test runners; other # lines are comments
 */
#ifndef SN_TRACE_TEXT_H
#define SN_TRACE_TEXT_H

#include <stdio.h>

#include "trace/trace.h"

/* One event as a line, names and sites by the tables of `t`. */
void sn_trace_print_event(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev);
/* The module and name lines. */
void sn_trace_print_tables(FILE *out, const struct sn_trace *t);
/* "x+4", "0x7f…": the name of an address; at most n bytes. Returns buf. */
char *sn_trace_print_addr(const struct sn_trace *t, uint64_t addr, char *buf, size_t n);
/* "file:line<caller…": at most n bytes. Returns buf; empty for an unknown site. */
char *sn_trace_print_site(const struct sn_trace *t, uint32_t site, bool callers, char *buf,
                          size_t n);

/* A module's file name as one word: spaces become underscores. Returns buf. */
char *sn_trace_print_module(const char *path, char *buf, size_t n);

/* Words of the text form, shared by its two directions. */
struct sn_text_word {
    const char *word;
    unsigned value;
};
extern const struct sn_text_word sn_text_flags[];  /* enum sn_event_flag, ends with null */
extern const struct sn_text_word sn_text_orders[]; /* enum sn_order, ends with null */

#endif
