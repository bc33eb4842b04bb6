/* decimal.h: a number as text, without libc. */
#ifndef SN_DECIMAL_H
#define SN_DECIMAL_H

#include <stdint.h>

enum { SN_DECIMAL = 21 }; /* bytes that hold any number and its end */

/* Ends it with a zero, which is what it gives. */
static inline char *sn_decimal(char *to, uint64_t v)
{
    uint64_t rest = v;
    do
        to++;
    while (rest /= 10);
    char *end = to;
    *end = 0;
    do
        *--to = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

#endif
