// EXPECT: pcre2_match_8 pcre2_match_8
// LIB: libpcre2-8.so.0
// The pattern may be shared, what a match leaves behind may not.
#include <stddef.h>
#include <stdio.h>

#include "together.h"

void *pcre2_compile_8(const char *p, size_t n, unsigned options, int *error, size_t *at, void *c);
void *pcre2_match_data_create_from_pattern_8(void *code, void *c);
int pcre2_match_8(void *code, const char *s, size_t n, size_t from, unsigned options, void *data,
                  void *c);

static void *code, *shared;

static void *match(void *unused)
{
    void *data = shared;
#ifdef FIXED
    data = pcre2_match_data_create_from_pattern_8(code, 0);
#endif
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++)
        if (pcre2_match_8(code, "xaay", 4, 0, 0, data, 0) != 1)
            return unused;
    return unused;
}

int main(void)
{
    int error;
    size_t at;
    code = pcre2_compile_8("a+", 2, 0, &error, &at, 0);
    shared = pcre2_match_data_create_from_pattern_8(code, 0);
    together(match, match, 0);
    puts("done");
    return 0;
}
