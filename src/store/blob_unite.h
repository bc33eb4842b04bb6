/* blob_unite.h: inside src/store only: two blobs of the same kind and key become one. */
#ifndef SN_STORE_BLOB_UNITE_H
#define SN_STORE_BLOB_UNITE_H

#include <jansson.h>

#include "store/store_sql.h"

/* A new value, the join of two: commutative, associative, idempotent. Arrays come out sorted. */
json_t *sn_json_unite(const json_t *a, const json_t *b);
/* Makes the SQL function sn_unite(kind, changed_ns, data, changed_ns, data) known to the store.
 * SQLite's code. */
int sn_blob_unite_register(struct sn_store *s);

#endif
