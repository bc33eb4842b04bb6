/* fingerprint.c: see fingerprint.h. */
#include "report/fingerprint.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/source.h"
#include "store/xalloc.h"

/* FNV-1a over 64 bits, twice with other beginnings: it names things, it guards nothing. */
struct mix {
    uint64_t a, b;
};

static void mix_bytes(struct mix *m, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        m->a = (m->a ^ (unsigned char)s[i]) * 1099511628211u;
        m->b = (m->b ^ (unsigned char)s[i]) * 0x9e3779b97f4a7c15u;
        m->b ^= m->b >> 29;
    }
}

static void mix_text(struct mix *m, const char *s)
{
    mix_bytes(m, s ? s : "", (s ? strlen(s) : 0) + (s ? 1 : 0));
    mix_bytes(m, "\n", 1);
}

static struct mix begin(void)
{
    return (struct mix){1469598103934665603u, 0x2545f4914f6cdd1du};
}

static void mix_line(struct mix *m, const struct sn_frame *at)
{
    char *line = at->file && at->line > 0 ? sn_source_line(at->file, at->line, 0, NULL) : NULL;
    for (const char *p = line; p && *p; p++)
        if (!isspace((unsigned char)*p))
            mix_bytes(m, p, 1);
    mix_bytes(m, "\n", 1);
    free(line);
}

static struct mix site(const struct sn_site *s)
{
    struct mix m = begin();
    const struct sn_frame *at = sn_site_frame(s);
    mix_text(&m, s->call);
    if (!at)
        return m;
    const char *base = at->file ? strrchr(at->file, '/') : NULL;
    mix_text(&m, at->function);
    mix_text(&m, base ? base + 1 : at->file);
    if (at->file) {
        mix_line(&m, at);
        return m;
    }
    char *place = sn_xformat("%s+%" PRIx64, at->module ? at->module : "", at->offset);
    mix_text(&m, place);
    free(place);
    return m;
}

char *sn_fingerprint(const struct sn_finding *f)
{
    struct mix all = begin(), sum = {0, 0};
    mix_text(&all, sn_kind_name(f->kind));
    if (f->object.kind == SN_OBJ_GLOBAL || f->object.kind == SN_OBJ_TLS ||
        f->object.kind == SN_OBJ_CONTRACT)
        mix_text(&all, f->object.name);
    for (size_t i = 0; i < f->nsites; i++) { /* a sum: the order of the sides means nothing */
        struct mix one = site(&f->sites[i]);
        sum.a += one.a;
        sum.b += one.b;
    }
    mix_bytes(&all, (const char *)&sum, sizeof sum);
    return sn_xformat("%016" PRIx64 "%016" PRIx64, all.a, all.b);
}
