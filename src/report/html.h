/*
 * html.h: inside src/report only: the pieces of the HTML report. Everything that comes from outside
 * (names, paths, source lines, effects) passes sn_html_text(): there is no other way into the page.
 */
#ifndef SN_REPORT_HTML_H
#define SN_REPORT_HTML_H

#include <stdio.h>

#include "report/report.h"

extern const char sn_page_css[],
    sn_page_js[]; /* src/report/page, made into C by cmake/embed.cmake */

/* Text for an element or a quoted attribute: markup, control and direction characters are harmless
 * afterwards. */
void sn_html_text(FILE *out, const char *text);
/* What `words` writes, as text. */
void sn_html_words(FILE *out, void (*words)(FILE *out, const void *arg), const void *arg);
/* html_lanes.c: the interleaving, a lane per thread, locks as bars. */
void sn_html_lanes(FILE *out, const struct sn_finding *f);
/* html_finding.c: all that opens below the line of a finding. */
void sn_html_finding(FILE *out, const struct sn_finding *f);
/* html.c: the page. */
void sn_report_html(FILE *out, const struct sn_report *r, bool candidates);

#endif
