/* options.c: reading SNAG_RT. */
#include "core/options.h"

#include <string.h>

#include "core/sys.h"

struct sn_options sn_opt SN_HOT = {
#define SN_OPT_NUM(name, def, help) .name = def,
#define SN_OPT_STR(name, def, help) .name = def,
#include "core/options.def"
#undef SN_OPT_NUM
#undef SN_OPT_STR
};

static int64_t number(const char *s, size_t n)
{
    int64_t v = 0;
    int sign = 1;
    if (n && *s == '-') {
        sign = -1;
        s++, n--;
    }
    for (; n && *s >= '0' && *s <= '9'; s++, n--)
        v = v * 10 + (*s - '0');
    return v * sign;
}

static void text(char *to, size_t cap, const char *s, size_t n)
{
    if (n >= cap)
        n = cap - 1;
    memcpy(to, s, n);
    to[n] = 0;
}

static int is(const char *s, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(s, name, n) == 0;
}

static void set(struct sn_options *o, const char *k, size_t nk, const char *v, size_t nv)
{
    (void)text;
#define SN_OPT_NUM(name, def, help)                                                                \
    if (is(k, nk, #name))                                                                          \
        o->name = number(v, nv);
#define SN_OPT_STR(name, def, help)                                                                \
    if (is(k, nk, #name))                                                                          \
        text(o->name, sizeof o->name, v, nv);
#include "core/options.def"
#undef SN_OPT_NUM
#undef SN_OPT_STR
}

void sn_options_parse(struct sn_options *o, const char *s)
{
    while (*s) {
        const char *k = s;
        size_t nk = strcspn(k, "= "), nv = 0;
        s = k + nk;
        if (*s == '=') {
            s++;
            nv = strcspn(s, " ");
        }
        set(o, k, nk, s, nv);
        s += nv;
        s += *s == ' ';
    }
}
