/* forms.h: inside src/report only: the forms for other programs. Candidates are left out of them.
 */
#ifndef SN_REPORT_FORMS_H
#define SN_REPORT_FORMS_H

#include <jansson.h>
#include <stdio.h>

#include "report/report.h"

void sn_report_sarif(const struct sn_report *r, json_t **out); /* SARIF 2.1.0 */
void sn_report_junit(FILE *out, const struct sn_report *r);    /* JUnit XML */

#endif
