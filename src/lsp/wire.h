/*
 * wire.h: messages on a stream of bytes, as the language server protocol frames them: header lines,
 * an empty line, so many bytes of JSON. Whatever comes, the reader finds the next message or waits
 * for more.
 */
#ifndef SN_LSP_WIRE_H
#define SN_LSP_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sn_wire {
    char *data; /* what has come and was not taken yet */
    size_t n, cap;
    size_t skip; /* bytes of a message that is too long: still to be dropped */
};

enum sn_wire_result {
    SN_WIRE_MORE,    /* nothing complete yet */
    SN_WIRE_MESSAGE, /* *out is an object, the caller's */
    SN_WIRE_BAD,     /* a frame that is no JSON object: taken away */
};

void sn_wire_feed(struct sn_wire *w, const void *bytes, size_t n);
enum sn_wire_result sn_wire_next(struct sn_wire *w, json_t **out);
void sn_wire_free(struct sn_wire *w);
/* Sends a message and gives it up. 0 or -errno. */
int sn_wire_send(FILE *to, json_t *message);

#endif
