/* plain.h: memory functions that call nothing. */
#ifndef SN_RUNTIME_PLAIN_H
#define SN_RUNTIME_PLAIN_H

#include <stddef.h>

void *sn_plain_memcpy(void *to, const void *from, size_t n);
void *sn_plain_memmove(void *to, const void *from, size_t n);
void *sn_plain_memset(void *to, int c, size_t n);
int sn_plain_memcmp(const void *a, const void *b, size_t n);
size_t sn_plain_strlen(const char *s);

#endif
