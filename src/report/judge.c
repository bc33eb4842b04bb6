/*
 * judge.c: the baseline and the suppressions against the findings, see judge.h. An entry matches by
 * its key (same places) or, when code has moved, by its fingerprint; of several findings with one
 * fingerprint as many are known as there are entries.
 */
#include "report/judge.h"

#include <errno.h>
#include <string.h>

#include "report/fingerprint.h"
#include "report/text.h"
#include "store/xalloc.h"

struct entry {
    char *key, *fingerprint, *title;
    bool suppresses; /* by `snag suppress`: any number of findings; never stale */
    bool used;
};

static struct {
    struct entry *entry;
    size_t n, cap;
    char *file;
    struct sn_judged result;
    char **stale;
} all;

static void add(const char *key, const char *fingerprint, const char *title, bool suppresses)
{
    all.entry = sn_xgrow(all.entry, all.n, &all.cap, sizeof *all.entry);
    all.entry[all.n++] = (struct entry){.key = sn_xstrdup(key),
                                        .fingerprint = sn_xstrdup(fingerprint),
                                        .title = sn_xstrdup(title),
                                        .suppresses = suppresses};
}

void sn_judge_suppress(const char *key, const char *fingerprint)
{
    add(key, fingerprint, NULL, true);
}

void sn_judge_forget(void)
{
    for (size_t i = 0; i < all.n; i++) {
        free(all.entry[i].key);
        free(all.entry[i].fingerprint);
        free(all.entry[i].title);
    }
    free(all.entry);
    free(all.stale);
    free(all.file);
    memset(&all, 0, sizeof all);
}

int sn_judge_baseline(const char *file, char **why)
{
    if (all.file && strcmp(all.file, file) == 0)
        return 0;
    json_error_t error;
    json_t *j = json_load_file(file, 0, &error), *list = json_object_get(j, "findings"), *one;
    size_t i;
    if (!j || !json_is_array(list)) {
        *why =
            j ? sn_xformat(
                    "%s is no baseline: it has no list of findings; snag baseline write makes one",
                    file)
              : sn_xformat("the baseline %s cannot be read: %s; snag baseline write makes one",
                           file, error.text);
        json_decref(j);
        return -EINVAL;
    }
    json_array_foreach(list, i, one)
    {
        const char *title = json_string_value(json_object_get(one, "title"));
        const char *where = json_string_value(json_object_get(one, "where"));
        char *words = sn_xformat("%s (%s)", title ? title : "?", where ? where : "?");
        add(json_string_value(json_object_get(one, "key")),
            json_string_value(json_object_get(one, "fingerprint")), words, false);
        free(words);
    }
    json_decref(j);
    free(all.file);
    all.file = sn_xstrdup(file);
    return 0;
}

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static void mark(struct sn_finding *f, struct entry *e)
{
    e->used = true;
    f->known = e->suppresses ? SN_SUPPRESSED : SN_IN_BASELINE;
}

/* Places first, so that a fingerprint is not used up by a finding that has an entry of its own. */
static void match_keys(const struct sn_report *r)
{
    for (size_t i = 0; i < r->findings.n; i++)
        for (size_t k = 0; k < all.n && !r->findings.f[i].known; k++)
            if (equal(all.entry[k].key, r->findings.f[i].key))
                mark(&r->findings.f[i], &all.entry[k]);
}

static void match_fingerprints(const struct sn_report *r)
{
    for (size_t i = 0; i < r->findings.n; i++) {
        struct sn_finding *f = &r->findings.f[i];
        char *print = f->known ? NULL : sn_fingerprint(f);
        for (size_t k = 0; print && k < all.n && !f->known; k++)
            if ((all.entry[k].suppresses || !all.entry[k].used) &&
                equal(all.entry[k].fingerprint, print))
                mark(f, &all.entry[k]);
        free(print);
    }
}

static void name_stale(void)
{
    free(all.stale);
    all.stale = sn_xcalloc(all.n, sizeof *all.stale);
    all.result.nstale = 0;
    for (size_t i = 0; i < all.n; i++)
        if (!all.entry[i].suppresses && !all.entry[i].used)
            all.stale[all.result.nstale++] = all.entry[i].title;
    all.result.stale = all.stale;
}

const struct sn_judged *sn_judge(const struct sn_report *r)
{
    all.result = (struct sn_judged){.baseline = all.file};
    if (!all.n && !all.file)
        return &all.result;
    for (size_t i = 0; i < all.n; i++)
        all.entry[i].used = false;
    for (size_t i = 0; i < r->findings.n; i++)
        r->findings.f[i].known = SN_NEW;
    match_keys(r);
    match_fingerprints(r);
    name_stale();
    for (size_t i = 0; i < r->findings.n; i++) {
        const struct sn_finding *f = &r->findings.f[i];
        all.result.known += f->known == SN_IN_BASELINE && f->status > SN_CANDIDATE;
        all.result.suppressed += f->known == SN_SUPPRESSED && f->status > SN_CANDIDATE;
    }
    return &all.result;
}

const struct sn_judged *sn_judged(void)
{
    return &all.result;
}

/* "bank.c:13, bank.c:16". malloc. */
static char *where_words(const struct sn_finding *f)
{
    char *text = sn_xstrdup("");
    for (size_t i = 0; i < f->nsites; i++) {
        const struct sn_frame *at = sn_site_frame(&f->sites[i]);
        const char *base = at && at->file ? strrchr(at->file, '/') : NULL;
        if (!at || !at->file)
            continue;
        char *longer =
            sn_xformat("%s%s%s:%d", text, *text ? ", " : "", base ? base + 1 : at->file, at->line);
        free(text);
        text = longer;
    }
    return text;
}

json_t *sn_judge_to_json(const struct sn_report *r)
{
    const struct sn_finding **shown = sn_xcalloc(r->findings.n, sizeof *shown);
    size_t n = sn_text_collect(r, false, shown);
    json_t *list = sn_xcheck(json_array());
    for (size_t i = 0; i < n; i++) {
        char *print = sn_fingerprint(shown[i]), *where = where_words(shown[i]);
        json_array_append_new(
            list,
            sn_xcheck(json_pack("{s:s, s:s, s:s, s:s, s:s?}", "kind", sn_kind_name(shown[i]->kind),
                                "title", shown[i]->title ? shown[i]->title : "", "where", where,
                                "fingerprint", print, "key", shown[i]->key)));
        free(print);
        free(where);
    }
    free(shown);
    return sn_xcheck(json_pack("{s:s, s:o}", "snag", SNAG_VERSION, "findings", list));
}
