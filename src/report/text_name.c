/*
 * text_name.c: function names that fit a line. A C++ name of a few hundred characters is mostly
 * template arguments; where it is long, `std::vector<int, std::allocator<int> >::push_back(int&&)`
 * becomes `std::vector<…>::push_back(…)`.
 */
#include "report/text.h"

#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

#define SHORT_ENOUGH 40

/* `operator<`, `operator->`, `operator()`: these are no brackets. Length of the operator's name. */
static size_t operator_length(const char *at)
{
    static const char *const names[] = {
        "operator<=>", "operator<<=", "operator>>=", "operator->*", "operator<<", "operator>>",
        "operator<=",  "operator>=",  "operator->",  "operator()",  "operator<",  "operator>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strncmp(at, names[i], strlen(names[i])))
            return strlen(names[i]);
    }
    return 0;
}

/* Past the bracket that closes the one at `at`; null when there is none. */
static const char *past_bracket(const char *at)
{
    size_t depth = 0;
    for (; *at; at++) {
        size_t skip = operator_length(at);
        if (skip) {
            at += skip - 1;
            continue;
        }
        depth += *at == '<' || *at == '(';
        depth -= (*at == '>' && at[-1] != '-') || *at == ')';
        if (!depth)
            return at + 1;
    }
    return NULL;
}

static char *shorten(const char *name)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (const char *at = name; *at;) {
        size_t skip = operator_length(at);
        if (skip) {
            fwrite(at, 1, skip, out);
            at += skip;
            continue;
        }
        const char *past = *at == '<' || *at == '(' ? past_bracket(at) : NULL;
        if (past && past - at > 2) {
            fprintf(out, "%c…%c", *at, past[-1]);
            at = past;
        } else {
            fputc(*at++, out);
        }
    }
    fclose(out);
    return text;
}

char *sn_text_function(const char *name)
{
    if (!name)
        return sn_xstrdup("??");
    char *clean = sn_utf8_clean(name, strlen(name), true);
    if (strlen(clean) <= SHORT_ENOUGH)
        return clean;
    char *text = shorten(clean);
    free(clean);
    return text;
}
