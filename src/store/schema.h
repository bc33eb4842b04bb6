/* schema.h: inside src/store only: the tables, and which version of them a file has. */
#ifndef SN_STORE_SCHEMA_H
#define SN_STORE_SCHEMA_H

#include "store/store_sql.h"

#define SN_SCHEMA_VERSION 1

/* SN_STORE_WRITE makes the tables in an empty file. 0, or -errno with the store's words set: made
 * by a newer snag (-ENOTSUP), not snag's (-EBADMSG), still empty and only read (-ENOENT). */
int sn_schema_open(struct sn_store *s);

#endif
