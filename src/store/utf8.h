/*
 * utf8.h: names of files and functions are bytes; JSON, XML and terminals want text. Everything
 * that leaves snag passes through here.
 */
#ifndef SN_STORE_UTF8_H
#define SN_STORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the valid UTF-8 sequence at s (n bytes are there, n > 0); 0 when it is none. */
unsigned sn_utf8_length(const unsigned char *s, size_t n);
/* A copy (malloc) in which every invalid byte, and with `printable` every control character, is
 * U+FFFD. Stops at a zero byte. */
char *sn_utf8_clean(const char *s, size_t n, bool printable);

#endif
