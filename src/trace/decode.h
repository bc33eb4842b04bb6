/*
 * decode.h: the payload of one block, record by record. The input is not trusted: every length is
 * checked, every failure has a position in the payload and a reason. No memory of its own but the
 * ranges of the last event.
 */
#ifndef SN_TRACE_DECODE_H
#define SN_TRACE_DECODE_H

#include "trace/format.h"
#include "trace/trace.h"

/* What a table record says; strings are not terminated and point into the payload. */
struct sn_table_item {
    enum sn_table_record kind;
    uint32_t number;
    struct sn_trace_site site;     /* without `where` */
    struct sn_trace_module module; /* without `path` */
    struct sn_trace_name name;     /* without `name` */
    const char *text;
    size_t text_bytes;
};

struct sn_decoder {
    const uint8_t *start, *at, *end;
    const char *why;               /* after a failure */
    uint8_t op[SN_TAG_OP + 1];     /* writer's number -> enum sn_event_op; kept over blocks */
    struct sn_trace_range *ranges; /* malloc; kept over blocks */
    uint32_t cap_ranges;
    struct sn_trace_model model;
};

enum sn_decoded { SN_DECODED_END, SN_DECODED_EVENT, SN_DECODED_TABLE };

void sn_decode_begin(struct sn_decoder *d, const void *payload, size_t bytes);
/* enum sn_decoded, or -EBADMSG with d->why, d->at near the damage. */
int sn_decode_next(struct sn_decoder *d, struct sn_trace_event *ev, struct sn_table_item *item);
void sn_decode_free(struct sn_decoder *d);

#endif
