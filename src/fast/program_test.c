/*
 * program_test.c: fast_test.c for the looks as they are in programs, not in shared libraries.
 */
#define SN_FAST_PROGRAM
#include "fast/fast_test.c"
