/*
 * diagnostic.h: findings as an editor shows them: a mark at every place that takes part, the other
 * places as related information, and the whole story in the hover.
 */
#ifndef SN_LSP_DIAGNOSTIC_H
#define SN_LSP_DIAGNOSTIC_H

#include "lsp/document.h"
#include "lsp/position.h"
#include "store/finding.h"

/* The marks of all documents' findings: an object, from URI to an array of diagnostics. */
json_t *sn_diagnostics(struct sn_documents *docs, bool candidates);
/* Markdown for what is marked on that line of the document (malloc); null: nothing is. */
char *sn_hover_text(struct sn_documents *docs, const json_t *marks, const char *uri, size_t line);
/* The finding with that key, in any document. False: there is none. */
bool sn_finding_by_key(struct sn_documents *docs, const char *key, struct sn_finding *out);

#endif
