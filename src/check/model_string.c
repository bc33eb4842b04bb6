/*
 * model_string.c: the memory and string functions, exactly, with their reads and writes recorded.
 * Uninterpreted bytes make the result uninterpreted.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check/history.h"
#include "check/lib.h"

static const char *host(const struct sn_vm *vm, uint64_t addr) { return (const char *)sn_mem(&vm->mem, addr); }

bool sn_same_text(const struct sn_vm *vm, uint64_t a, uint64_t b, uint64_t n)
{
    return memcmp(host(vm, a), host(vm, b), n) == 0;
}

/* At most `most` bytes are looked at; n is the length without the zero. */
struct sn_text sn_text_at(struct sn_vm *vm, struct sn_task *t, struct sn_reg addr, uint64_t most, bool record)
{
    struct sn_text s = {.addr = addr.v, .taint = addr.u};
    if (addr.u & SN_VAGUE || addr.v < SN_ADDR_LOW)
        return s;
    uint64_t room = addr.v < vm->mem.top ? vm->mem.top - addr.v : 0;
    const uint8_t *tag = sn_tag(&vm->mem, addr.v);
    while (s.n < most && s.n < room && !(tag[s.n] & SN_TAG_BAD)) {
        s.taint |= tag[s.n];
        if (host(vm, addr.v)[s.n] == '\0')
            break;
        s.n++;
    }
    uint64_t touched = s.n < most ? s.n + 1 : s.n;
    s.ok = touched == 0 || sn_usable(vm, t, addr, touched, false);
    if (s.ok && record && vm->concurrent && touched > 0)
        sn_vhistory_access(vm, t, addr.v, touched, 0);
    sn_charge(vm, s.n / 16);
    return s;
}

static struct sn_text text(struct sn_call *c, unsigned k) { return sn_text_at(c->vm, c->t, sn_arg(c, k), UINT64_MAX, true); }

static enum sn_result unknown(struct sn_call *c, unsigned bits)
{
    c->ret = (struct sn_reg){sn_invent(c->vm, bits), SN_UNKNOWN};
    return SN_DONE;
}

static enum sn_result give(struct sn_call *c, uint64_t v, uint64_t taint)
{
    c->ret = (struct sn_reg){v, taint};
    return SN_DONE;
}

/* --- memory --- */

enum { MOVE, PCPY };

static enum sn_result m_memcpy(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, 0), n = sn_arg(c, 2);
    if (!(n.u & SN_VAGUE) && n.v > 0)
        sn_copy_range(c->vm, c->t, to, sn_arg(c, 1), n.v);
    return give(c, to.v + (sn_model_of(c)->extra == PCPY ? n.v : 0), to.u);
}

static enum sn_result m_memset(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, 0), n = sn_arg(c, 2);
    if (!(n.u & SN_VAGUE) && n.v > 0)
        sn_fill_range(c->vm, c->t, to, sn_arg(c, 1), n.v);
    return give(c, to.v, to.u);
}

static enum sn_result m_bzero(struct sn_call *c)
{
    struct sn_reg n = sn_arg(c, 1);
    if (!(n.u & SN_VAGUE) && n.v > 0)
        sn_fill_range(c->vm, c->t, sn_arg(c, 0), (struct sn_reg){0, 0}, n.v);
    return SN_DONE;
}

static enum sn_result m_memcmp(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), b = sn_arg(c, 1), n = sn_arg(c, 2);
    if (n.u & SN_VAGUE)
        return unknown(c, 32);
    if (!sn_touch(c->vm, c->t, a, n.v, false) || !sn_touch(c->vm, c->t, b, n.v, false))
        return unknown(c, 32);
    uint8_t tags = sn_range_tags(&c->vm->mem, a.v, n.v) | sn_range_tags(&c->vm->mem, b.v, n.v);
    int r = n.v ? memcmp(host(c->vm, a.v), host(c->vm, b.v), n.v) : 0;
    return give(c, (uint32_t)((r > 0) - (r < 0)), tags | a.u | b.u | n.u);
}

static enum sn_result m_memchr(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), ch = sn_arg(c, 1), n = sn_arg(c, 2);
    if (n.u & SN_VAGUE || !sn_touch(c->vm, c->t, a, n.v, false))
        return unknown(c, 64);
    const char *p = sn_model_of(c)->extra ? memrchr(host(c->vm, a.v), (int)ch.v, n.v)
                                          : memchr(host(c->vm, a.v), (int)ch.v, n.v);
    return give(c, p ? a.v + (uint64_t)(p - host(c->vm, a.v)) : 0, sn_range_tags(&c->vm->mem, a.v, n.v) | ch.u);
}

/* --- strings --- */

static enum sn_result m_strlen(struct sn_call *c)
{
    bool bounded = sn_model_of(c)->extra != 0;
    uint64_t most = bounded ? sn_arg(c, 1).v : UINT64_MAX;
    struct sn_text s = sn_text_at(c->vm, c->t, sn_arg(c, 0), most, true);
    return s.ok ? give(c, s.n, s.taint) : unknown(c, 8);
}

enum { CMP = 0, NCMP = 1, CASE = 2 };

static enum sn_result m_strcmp(struct sn_call *c)
{
    int64_t how = sn_model_of(c)->extra;
    struct sn_reg n = how & NCMP ? sn_arg(c, 2) : (struct sn_reg){UINT64_MAX, 0};
    struct sn_text a = sn_text_at(c->vm, c->t, sn_arg(c, 0), n.v, true);
    struct sn_text b = sn_text_at(c->vm, c->t, sn_arg(c, 1), n.v, true);
    if (!a.ok || !b.ok || n.u & SN_VAGUE)
        return unknown(c, 32);
    const char *x = host(c->vm, a.addr), *y = host(c->vm, b.addr);
    uint64_t longer = (a.n > b.n ? a.n : b.n) + 1, most = longer < n.v ? longer : n.v;
    int r = how & CASE ? strncasecmp(x, y, most) : strncmp(x, y, most);
    return give(c, (uint32_t)((r > 0) - (r < 0)), a.taint | b.taint | n.u);
}

/* Writes n bytes of the source and a zero. */
static bool put_text(struct sn_call *c, struct sn_reg to, uint64_t from, uint64_t n, bool end)
{
    if (!sn_touch(c->vm, c->t, to, n + end, true))
        return false;
    memmove(sn_mem(&c->vm->mem, to.v), sn_mem(&c->vm->mem, from), n);
    memmove(sn_tag(&c->vm->mem, to.v), sn_tag(&c->vm->mem, from), n);
    if (end)
        sn_poke(c->vm, to.v + n, 1, 0);
    return true;
}

enum { CPY, STPCPY, CAT, NCAT };

static enum sn_result m_strcpy(struct sn_call *c)
{
    int64_t how = sn_model_of(c)->extra;
    struct sn_reg to = sn_arg(c, 0), at = to;
    struct sn_text s = sn_text_at(c->vm, c->t, sn_arg(c, 1), how == NCAT ? sn_arg(c, 2).v : UINT64_MAX, true);
    if (how == CAT || how == NCAT) {
        struct sn_text d = text(c, 0);
        if (!d.ok)
            return give(c, to.v, to.u);
        at.v += d.n;
    }
    if (s.ok && !(to.u & SN_VAGUE))
        put_text(c, at, s.addr, s.n, true);
    return give(c, how == STPCPY ? to.v + s.n : to.v, to.u | (how == STPCPY ? s.taint : 0));
}

static enum sn_result m_strncpy(struct sn_call *c)
{
    struct sn_reg to = sn_arg(c, 0), n = sn_arg(c, 2);
    struct sn_text s = sn_text_at(c->vm, c->t, sn_arg(c, 1), n.v, true);
    if (!s.ok || n.u & SN_VAGUE || to.u & SN_VAGUE)
        return give(c, to.v, to.u);
    if (sn_model_of(c)->extra) { /* strlcpy: always ended, returns the whole length */
        struct sn_text whole = text(c, 1);
        uint64_t k = n.v == 0 ? 0 : whole.n < n.v ? whole.n : n.v - 1;
        if (n.v > 0)
            put_text(c, to, s.addr, k, true);
        return give(c, whole.n, whole.taint);
    }
    if (put_text(c, to, s.addr, s.n, false) && s.n < n.v) {
        struct sn_reg rest = {to.v + s.n, to.u};
        sn_fill_range(c->vm, c->t, rest, (struct sn_reg){0, 0}, n.v - s.n);
    }
    return give(c, to.v, to.u);
}

static enum sn_result m_strdup(struct sn_call *c)
{
    bool bounded = sn_model_of(c)->extra != 0;
    struct sn_text s = sn_text_at(c->vm, c->t, sn_arg(c, 0), bounded ? sn_arg(c, 1).v : UINT64_MAX, true);
    uint64_t n = s.ok ? s.n : 63;
    enum sn_result r = sn_allocate(c, (struct sn_reg){n + 1, 0}, 16, false);
    if (r == SN_DONE && s.ok)
        put_text(c, c->ret, s.addr, s.n, true);
    return r;
}

enum { CHR, RCHR, STR, CASESTR, SPN, CSPN, PBRK, CHRNUL };

static const char *search(int64_t how, const char *a, const char *b, int ch)
{
    switch (how) {
    case CHR: return strchr(a, ch);
    case RCHR: return strrchr(a, ch);
    case CHRNUL: return strchrnul(a, ch);
    case STR: return strstr(a, b);
    case CASESTR: return strcasestr(a, b);
    default: return strpbrk(a, b);
    }
}

static enum sn_result m_search(struct sn_call *c)
{
    int64_t how = sn_model_of(c)->extra;
    bool by_char = how == CHR || how == RCHR || how == CHRNUL;
    struct sn_text a = text(c, 0), b = by_char ? a : text(c, 1);
    if (!a.ok || !b.ok)
        return unknown(c, 64);
    uint64_t taint = a.taint | (by_char ? sn_arg(c, 1).u : b.taint);
    const char *x = host(c->vm, a.addr), *y = host(c->vm, b.addr);
    if (how == SPN || how == CSPN)
        return give(c, how == SPN ? strspn(x, y) : strcspn(x, y), taint);
    const char *p = search(how, x, y, (int)sn_arg(c, 1).v);
    return give(c, p ? a.addr + (uint64_t)(p - x) : 0, taint);
}

/* strtok(s, delim) keeps hidden state; strtok_r(s, delim, save) the caller's. */
static enum sn_result m_strtok(struct sn_call *c)
{
    bool own = sn_model_of(c)->extra == 0;
    struct sn_reg s = sn_arg(c, 0), save = sn_arg(c, 2), rest = {0, 0};
    if (own)
        rest.v = c->vm->lib->strtok_state;
    else if (s.v == 0)
        sn_load_slow(c->vm, c->t, save, 8, 0, &rest);
    if (s.v != 0 || s.u != 0)
        rest = s;
    struct sn_text a = sn_text_at(c->vm, c->t, rest, UINT64_MAX, true), d = text(c, 1);
    if (rest.v == 0 && rest.u == 0)
        return sn_return(c, 0);
    if (!a.ok || !d.ok)
        return unknown(c, 64);
    const char *x = host(c->vm, a.addr), *y = host(c->vm, d.addr);
    uint64_t skip = strspn(x, y), n = strcspn(x + skip, y);
    uint64_t start = a.addr + skip, end = start + n, next = end < a.addr + a.n ? end + 1 : end;
    if (n > 0 && end < a.addr + a.n && sn_touch(c->vm, c->t, (struct sn_reg){end, 0}, 1, true))
        sn_poke(c->vm, end, 1, 0);
    if (own)
        c->vm->lib->strtok_state = next;
    else
        sn_store_slow(c->vm, c->t, save, 8, SN_ACC_WRITE, (struct sn_reg){next, a.taint & SN_VAGUE});
    return give(c, n > 0 ? start : 0, a.taint | d.taint);
}

/* --- numbers --- */

enum { SIGNED_INT = 1, SIGNED = 2, UNSIGNED = 3, REAL = 4, REAL32 = 5 };

static enum sn_result m_strto(struct sn_call *c)
{
    int64_t how = sn_model_of(c)->extra & 7;
    bool simple = sn_model_of(c)->extra & 8; /* atoi, atol, atof */
    struct sn_text s = text(c, 0);
    struct sn_reg end = simple ? (struct sn_reg){0, 0} : sn_arg(c, 1);
    int base = simple || how >= REAL ? 10 : (int)sn_arg(c, 2).v;
    if (!s.ok)
        return unknown(c, 64);
    const char *x = host(c->vm, s.addr);
    char *stop = NULL;
    uint64_t v = 0;
    if (how >= REAL) {
        double d = strtod(x, &stop);
        float f = (float)d;
        memcpy(&v, how == REAL ? (void *)&d : (void *)&f, how == REAL ? sizeof d : sizeof f);
    } else if (base == 1 || base < 0 || base > 36) {
        return unknown(c, 64);
    } else {
        v = how == UNSIGNED ? strtoull(x, &stop, base) : (uint64_t)strtoll(x, &stop, base);
    }
    if (how == SIGNED_INT)
        v = (uint32_t)v;
    if (end.v != 0)
        sn_store_slow(c->vm, c->t, end, 8, SN_ACC_WRITE, (struct sn_reg){s.addr + (uint64_t)(stop - x), s.taint});
    return give(c, v, s.taint);
}

/* --- characters --- */

enum { UPPER, LOWER, ALPHA, DIGIT, ALNUM, SPACE, PUNCT, PRINT, XDIGIT, IS_UPPER, IS_LOWER, CNTRL, GRAPH, BLANK };

static enum sn_result m_ctype(struct sn_call *c)
{
    struct sn_reg ch = sn_arg(c, 0);
    int k = (int)(ch.v & 0xff), v;
    switch (sn_model_of(c)->extra) {
    case UPPER: v = toupper(k); break;
    case LOWER: v = tolower(k); break;
    case ALPHA: v = isalpha(k); break;
    case DIGIT: v = isdigit(k); break;
    case ALNUM: v = isalnum(k); break;
    case SPACE: v = isspace(k); break;
    case PUNCT: v = ispunct(k); break;
    case PRINT: v = isprint(k); break;
    case XDIGIT: v = isxdigit(k); break;
    case IS_UPPER: v = isupper(k); break;
    case IS_LOWER: v = islower(k); break;
    case CNTRL: v = iscntrl(k); break;
    case GRAPH: v = isgraph(k); break;
    default: v = isblank(k);
    }
    return give(c, (uint32_t)v, ch.u);
}

/* The tables behind glibc's macros, copied into simulated memory: 384 entries, index 0 in the middle. */
static enum sn_result m_ctype_table(struct sn_call *c)
{
    int64_t which = sn_model_of(c)->extra;
    uint32_t *known = &c->vm->lib->ctype_table[which];
    if (*known == 0) {
        unsigned width = which == 0 ? 2 : 4;
        uint32_t at = sn_simmem_take(&c->vm->mem, 384 * width + 8, 16, 0);
        if (at == 0)
            return SN_END;
        sn_range_mark(&c->vm->mem, at, 384 * width + 8, SN_DIRTY_BYTES);
        const void *from = which == 0 ? (const void *)(*__ctype_b_loc() - 128)
                           : which == 1 ? (const void *)(*__ctype_tolower_loc() - 128)
                                        : (const void *)(*__ctype_toupper_loc() - 128);
        memcpy(sn_mem(&c->vm->mem, at + 8), from, 384 * width);
        sn_poke(c->vm, at, 8, at + 8 + 128 * width);
        *known = at;
    }
    return sn_return(c, *known);
}

static const struct sn_model models[] = {
    {"memcpy", m_memcpy, 0, MOVE}, {"memmove", m_memcpy, 0, MOVE}, {"mempcpy", m_memcpy, 0, PCPY},
    {"__memcpy_chk", m_memcpy, 0, MOVE}, {"__memmove_chk", m_memcpy, 0, MOVE},
    {"memset", m_memset, 0, 0}, {"__memset_chk", m_memset, 0, 0}, {"explicit_bzero", m_bzero, 0, 0},
    {"bzero", m_bzero, 0, 0}, {"memcmp", m_memcmp, 0, 0}, {"bcmp", m_memcmp, 0, 0},
    {"memchr", m_memchr, 0, 0}, {"memrchr", m_memchr, 0, 1},
    {"strlen", m_strlen, 0, 0}, {"strnlen", m_strlen, 0, 1},
    {"strcmp", m_strcmp, 0, CMP}, {"strncmp", m_strcmp, 0, NCMP}, {"strcoll", m_strcmp, 0, CMP},
    {"strcasecmp", m_strcmp, 0, CASE}, {"strncasecmp", m_strcmp, 0, CASE | NCMP},
    {"strcpy", m_strcpy, 0, CPY}, {"stpcpy", m_strcpy, 0, STPCPY}, {"strcat", m_strcpy, 0, CAT},
    {"strncat", m_strcpy, 0, NCAT}, {"__strcpy_chk", m_strcpy, 0, CPY}, {"__strcat_chk", m_strcpy, 0, CAT},
    {"__strncat_chk", m_strcpy, 0, NCAT}, {"__stpcpy_chk", m_strcpy, 0, STPCPY},
    {"strncpy", m_strncpy, 0, 0}, {"__strncpy_chk", m_strncpy, 0, 0}, {"strlcpy", m_strncpy, 0, 1},
    {"strdup", m_strdup, 0, 0}, {"strndup", m_strdup, 0, 1}, {"__strdup", m_strdup, 0, 0},
    {"strchr", m_search, 0, CHR}, {"strrchr", m_search, 0, RCHR}, {"index", m_search, 0, CHR},
    {"rindex", m_search, 0, RCHR}, {"strchrnul", m_search, 0, CHRNUL}, {"strstr", m_search, 0, STR},
    {"strcasestr", m_search, 0, CASESTR}, {"strspn", m_search, 0, SPN}, {"strcspn", m_search, 0, CSPN},
    {"strpbrk", m_search, 0, PBRK}, {"strtok", m_strtok, 0, 0}, {"strtok_r", m_strtok, 0, 1},
    {"__strtok_r", m_strtok, 0, 1},
    {"atoi", m_strto, 0, 8 | SIGNED_INT}, {"atol", m_strto, 0, 8 | SIGNED}, {"atoll", m_strto, 0, 8 | SIGNED},
    {"atof", m_strto, 0, 8 | REAL}, {"strtol", m_strto, 0, SIGNED}, {"strtoll", m_strto, 0, SIGNED},
    {"strtoul", m_strto, 0, UNSIGNED}, {"strtoull", m_strto, 0, UNSIGNED}, {"strtoimax", m_strto, 0, SIGNED},
    {"strtoumax", m_strto, 0, UNSIGNED}, {"strtod", m_strto, 0, REAL}, {"strtof", m_strto, 0, REAL32},
    {"toupper", m_ctype, 0, UPPER}, {"tolower", m_ctype, 0, LOWER}, {"isalpha", m_ctype, 0, ALPHA},
    {"isdigit", m_ctype, 0, DIGIT}, {"isalnum", m_ctype, 0, ALNUM}, {"isspace", m_ctype, 0, SPACE},
    {"ispunct", m_ctype, 0, PUNCT}, {"isprint", m_ctype, 0, PRINT}, {"isxdigit", m_ctype, 0, XDIGIT},
    {"isupper", m_ctype, 0, IS_UPPER}, {"islower", m_ctype, 0, IS_LOWER}, {"iscntrl", m_ctype, 0, CNTRL},
    {"isgraph", m_ctype, 0, GRAPH}, {"isblank", m_ctype, 0, BLANK},
    {"__ctype_b_loc", m_ctype_table, 0, 0}, {"__ctype_tolower_loc", m_ctype_table, 0, 1},
    {"__ctype_toupper_loc", m_ctype_table, 0, 2},
};
const struct sn_model_table sn_models_string = {models, sizeof models / sizeof *models};
