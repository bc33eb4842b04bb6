/*
 * report.h: one report struct, several forms. Every command that finds something fills a struct
 * sn_report and calls sn_report_emit().
 */
#ifndef SN_REPORT_REPORT_H
#define SN_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "store/finding.h"

struct sn_report {
    char **command;      /* argv of snag, null-terminated */
    int exit;            /* the program's own status (128 + n when killed) */
    double seconds;
    int64_t runs;
    struct sn_findings findings; /* all statuses; the text form leaves candidates out */
    json_t *stats;       /* object, counters by name; may be null */
    char **messages;     /* lines for the user: losses, hints; null-terminated or null */
};

struct sn_report_options {
    const char *json, *sarif, *junit, *html; /* file names, "-" is stdout; null: not wanted */
    bool quiet;
    int color;           /* 0 auto, 1 always, 2 never */
    bool stats;
    bool show_candidates;
};

/* The store that `snag replay` in a report has to be given; null or ".snag" needs no mention. */
extern const char *sn_report_store;

/* Set by the command: reads what is known from the store before anything is judged; may be null. */
extern void (*sn_report_prepare)(void);

/* Text to stderr (unless quiet), and each wanted form. 0, or -errno after a message on stderr. */
int sn_report_emit(const struct sn_report *r, const struct sn_report_options *o);
/* Whether text to fd has colours: the user's choice, as above, and by itself on a terminal that knows
 * them, unless NO_COLOR is set. */
bool sn_report_color(int choice, int fd);
/* One finding in full, as the text report shows it. */
void sn_report_text_finding(FILE *out, const struct sn_finding *f, bool color);
void sn_report_json(const struct sn_report *r, json_t **out);
/* Findings that count for the exit status: no candidates, nothing that is suppressed or in the
 * baseline. */
bool sn_report_found(const struct sn_report *r);

#endif
