/*
 * verify.h: a program that computes, and crashes when a result is wrong: snag check must find nothing
 * unless the bug build asks for the crash, which shows that the checks are reached.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VERIFY(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            *(volatile int *)0 = __LINE__;                                                         \
    } while (0)

#ifdef FIXED
#define REACHED()
#else
#define REACHED() VERIFY(0)
#endif

#endif
