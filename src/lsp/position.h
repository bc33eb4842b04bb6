/*
 * position.h: places in a text. The protocol counts lines from 0 and characters in UTF-16 units;
 * compilers count lines and bytes from 1; a text is bytes of UTF-8.
 */
#ifndef SN_LSP_POSITION_H
#define SN_LSP_POSITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct sn_position {
    size_t line, character;
};

/* Offset of that place; behind the end of a line or of the text, that end. */
size_t sn_position_offset(const char *text, size_t n, struct sn_position p);
/* A place as a compiler names it, 1-based and in bytes. text null: a byte is a character. */
struct sn_position sn_position_of(const char *text, size_t n, int line, int column);
/* The end of the word that begins there; at least one character further. */
struct sn_position sn_position_word_end(const char *text, size_t n, struct sn_position p);

bool sn_position_read(const json_t *j, struct sn_position *out);
json_t *sn_position_json(struct sn_position p);
json_t *sn_range_json(struct sn_position from, struct sn_position to);

#endif
