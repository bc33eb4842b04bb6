/* text.h: inside src/report only: the pieces of the text report. */
#ifndef SN_REPORT_TEXT_H
#define SN_REPORT_TEXT_H

#include <stdio.h>

#include "report/report.h"

/* Control sequences, empty without colours. */
struct sn_style {
    const char *head, *strong, *mark, *dim, *good, *end;
};

const struct sn_style *sn_style(bool color);
/* Text that came from outside: control characters do not reach the terminal. */
void sn_text_put(FILE *out, const char *text);
/* A function's name for a screen: clean, and long C++ names without the insides of their template
 * and parameter lists. "??" for null. malloc. */
char *sn_text_function(const char *name);
void sn_text_place(FILE *out, const struct sn_frame *f); /* file:line:column, or module+offset */
/* The frames from `from` on, as "called by …". */
void sn_text_callers(FILE *out, const struct sn_stack *s, size_t from);
void sn_text_stack(FILE *out, const struct sn_stack *s, const struct sn_style *c);
/* The marked line with its neighbours; nothing when the source is not there. */
void sn_text_excerpt(FILE *out, const struct sn_frame *f, const struct sn_style *c);
/* text_words.c: "thread 2", malloc; what a side does and with which locks; what the object is; how
 * sure and how bad; the command that shows it again. */
char *sn_text_thread(int64_t thread);
void sn_text_side(FILE *out, const struct sn_finding *f, const struct sn_site *s,
                  const struct sn_style *c);
void sn_text_object(FILE *out, const struct sn_object *o);
void sn_text_judgement(FILE *out, const struct sn_finding *f, const struct sn_style *c);
void sn_text_replay(FILE *out, const struct sn_finding *f);
/* How many frames of a stack are worth showing: without the code that starts threads. */
size_t sn_text_frames(const struct sn_stack *s);
/* The kind in words: "data race", "deadlocks" when n is not 1. malloc. */
char *sn_text_kind(enum sn_kind k, size_t n);
/* hint.c: what usually fixes this finding, one line. */
const char *sn_hint(const struct sn_finding *f);
/* timeline.c: the interleaving, a column per thread. */
void sn_text_timeline(FILE *out, const struct sn_finding *f, const struct sn_style *c);
/* The findings that are shown, the strongest first; `shown` has room for all. Returns how many. */
size_t sn_text_collect(const struct sn_report *r, bool candidates, const struct sn_finding **shown);
/* All findings of a report that it shows, messages, candidates, summary. */
void sn_text_report(FILE *out, const struct sn_report *r, const struct sn_report_options *o,
                    bool color);

#endif
