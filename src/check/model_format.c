/*
 * model_format.c: printf's formatting, for the functions that write the text into memory, and so that
 * a string that is printed counts as read. Arguments lie eight bytes apart (see llvm/call.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/lib.h"

struct output {
    char *out;
    size_t cap, n;
    uint64_t taint;
};

static void put(struct output *o, const char *s, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (o->n + k < o->cap)
            o->out[o->n + k] = s[k];
    o->n += n;
}

struct args {
    struct sn_vm *vm;
    struct sn_task *t;
    uint64_t at;
};

static struct sn_reg next_arg(struct args *a)
{
    struct sn_reg r = {0, SN_UNKNOWN};
    if (sn_range_ok(&a->vm->mem, a->at, 8) && !(sn_range_tags(&a->vm->mem, a->at, 4) & SN_TAG_BAD)) {
        r.v = sn_peek(a->vm, a->at, 8);
        r.u = sn_range_tags(&a->vm->mem, a->at, 4) & SN_TAINTS;
    }
    a->at += 8;
    return r;
}

/* One conversion: flags, width, precision, length, letter. */
struct conversion {
    char spec[64];
    size_t n;
    bool left;
    int precision; /* -1 none */
    char length;   /* 'H' hh, 'h', 'l', 'q' ll, 'L', 'z', … or 0 */
    char letter;
};

static void add(struct conversion *c, char ch)
{
    if (c->n + 1 < sizeof c->spec)
        c->spec[c->n++] = ch;
    c->spec[c->n] = '\0';
}

static const char *parse_number(const char *p, struct conversion *c, struct args *a, int *value)
{
    *value = 0;
    if (*p == '*') {
        *value = (int)next_arg(a).v;
        char digits[16];
        snprintf(digits, sizeof digits, "%d", *value);
        for (const char *d = digits; *d; d++)
            add(c, *d);
        return p + 1;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        *value = *value < 100000 ? *value * 10 + (*p - '0') : *value;
        add(c, *p);
    }
    return p;
}

static const char *parse(const char *p, struct conversion *c, struct args *a)
{
    int ignored;
    *c = (struct conversion){.precision = -1};
    add(c, '%');
    for (; *p && strchr("-+ #0'", *p); p++)
        add(c, *p);
    p = parse_number(p, c, a, &ignored);
    if (*p == '.') {
        add(c, '.');
        p = parse_number(p + 1, c, a, &c->precision);
    }
    for (; *p && strchr("hlLqjzt", *p); p++)
        c->length = c->length == 'h' && *p == 'h' ? 'H' : *p == 'l' && c->length == 'l' ? 'q' : *p;
    c->letter = *p;
    return *p ? p + 1 : p;
}

static uint64_t narrow(uint64_t v, char length, bool is_signed)
{
    switch (length) {
    case 'H': return is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
    case 'h': return is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
    case 0: return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
    default: return v;
    }
}

#define NUMBER_BYTES 512

static void put_integer(struct output *o, struct conversion *c, struct args *a)
{
    char buf[NUMBER_BYTES], spec[80];
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    struct sn_reg r = next_arg(a);
    o->taint |= r.u;
    snprintf(spec, sizeof spec, "%sll%c", c->spec, c->letter);
    int n = snprintf(buf, sizeof buf, spec, (long long)narrow(r.v, c->length, is_signed));
    put(o, buf, n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void put_real(struct output *o, struct conversion *c, struct args *a)
{
    char buf[NUMBER_BYTES], spec[80];
    double d;
    if (c->length == 'L') {
        a->at = (a->at + 15) / 16 * 16 + 16;
        o->taint |= SN_UNKNOWN;
        return;
    }
    struct sn_reg r = next_arg(a);
    o->taint |= r.u;
    memcpy(&d, &r.v, sizeof d);
    snprintf(spec, sizeof spec, "%s%c", c->spec, c->letter);
    int n = snprintf(buf, sizeof buf, spec, d);
    put(o, buf, n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void put_string(struct output *o, struct conversion *c, struct args *a)
{
    struct sn_reg r = next_arg(a);
    uint64_t most = c->precision >= 0 ? (uint64_t)c->precision : UINT64_MAX;
    if (r.v == 0 && r.u == 0) {
        put(o, "(null)", 6);
        return;
    }
    struct sn_text s = sn_text_at(a->vm, a->t, r, most, true);
    o->taint |= s.taint;
    if (!s.ok || c->length == 'l') {
        o->taint |= SN_UNKNOWN;
        return;
    }
    char *width = c->spec + 1 + strspn(c->spec + 1, "-+ #0'");
    size_t wide = 0;
    for (const char *d = width; *d >= '0' && *d <= '9'; d++)
        wide = wide < 100000 ? wide * 10 + (size_t)(*d - '0') : wide;
    bool left = memchr(c->spec, '-', (size_t)(width - c->spec)) != NULL;
    for (size_t k = s.n; !left && k < wide; k++)
        put(o, " ", 1);
    put(o, (const char *)sn_mem(&a->vm->mem, s.addr), s.n);
    for (size_t k = s.n; left && k < wide; k++)
        put(o, " ", 1);
}

static void convert(struct output *o, struct conversion *c, struct args *a)
{
    char ch;
    struct sn_reg r;
    switch (c->letter) {
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
        put_integer(o, c, a);
        break;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
        put_real(o, c, a);
        break;
    case 's':
        put_string(o, c, a);
        break;
    case 'c':
        r = next_arg(a);
        o->taint |= r.u;
        ch = (char)r.v;
        put(o, &ch, 1);
        break;
    case 'p':
        c->letter = 'x';
        c->length = 'l';
        put(o, "0x", 2);
        put_integer(o, c, a);
        break;
    case 'n':
        r = next_arg(a);
        sn_store_slow(a->vm, a->t, r, c->length == 'l' || c->length == 'q' ? 8 : 4, SN_ACC_WRITE,
                      (struct sn_reg){o->n, o->taint});
        break;
    case '%':
        put(o, "%", 1);
        break;
    case 'm':
        put(o, "error", 5);
        o->taint |= SN_INPUT;
        break;
    default:
        o->taint |= SN_UNKNOWN;
    }
}

size_t sn_format(struct sn_vm *vm, struct sn_task *t, struct sn_reg format, uint64_t va, char *out,
                 size_t cap, uint64_t *taint)
{
    struct sn_text f = sn_text_at(vm, t, format, UINT64_MAX, true);
    struct output o = {out, cap, 0, f.taint};
    struct args a = {vm, t, va};
    if (!f.ok) {
        *taint = SN_UNKNOWN;
        return 0;
    }
    char *copy = strndup((const char *)sn_mem(&vm->mem, f.addr), f.n);
    for (const char *p = copy; p && *p;) {
        size_t plain = strcspn(p, "%");
        put(&o, p, plain);
        p += plain;
        if (*p == '\0')
            break;
        struct conversion c;
        p = parse(p + 1, &c, &a);
        convert(&o, &c, &a);
    }
    free(copy);
    *taint = o.taint;
    return o.n;
}
