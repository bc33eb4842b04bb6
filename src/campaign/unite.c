/* unite.c: the end of a campaign, see unite.h. Units may be united as often as one likes. */
#include "campaign/unite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/folder.h"
#include "cmd/command.h"
#include "cmd/say.h"
#include "store/store.h"
#include "store/xalloc.h"

#define NAMED 10 /* missing units that are named one by one */

static void note(struct sn_words *messages, char *text)
{
    sn_words_add(messages, text);
    free(text);
}

static void say_failed(void *arg, const char *dir, int err, const char *why)
{
    (void)arg, (void)err;
    sn_say("%s: %s", dir, why);
}

static int take_units(struct sn_work *w, struct sn_store *store)
{
    struct sn_words dirs = {0};
    for (size_t i = 0; i < w->plan->n; i++) {
        if (w->state[i] != SN_UNIT_DONE)
            continue;
        char *dir = sn_plan_file(w->plan, "out", i);
        sn_words_add(&dirs, dir);
        free(dir);
    }
    int err = sn_store_merge_many(store, (const char *const *)dirs.v, dirs.n, say_failed, NULL);
    sn_words_free(&dirs);
    return err;
}

/* So that `seeds next` goes on; only once all of them were used. */
static int keep_seeds(const struct sn_work *w, struct sn_store *store)
{
    int err = 0;
    for (size_t i = 0; !err && w->done == w->plan->n && i < w->plan->seeds.n; i++) {
        char *key = sn_xstrdup(w->plan->seeds.v[i]), *space = strrchr(key, ' ');
        if (space) {
            *space = 0;
            err = sn_store_put_blob(store, SN_SEEDS_KIND, key, space + 1, strlen(space + 1));
        }
        free(key);
    }
    return err;
}

static void name_missing(const struct sn_work *w, struct sn_words *messages)
{
    const struct sn_plan *p = w->plan;
    size_t missing = p->n - w->done, named = 0;
    if (!missing)
        return;
    note(messages, sn_xformat("%zu of %zu units are missing; snag campaign run --dir %s runs them",
                              missing, p->n, p->dir));
    for (size_t i = 0; i < p->n && named < NAMED; i++) {
        if (w->state[i] == SN_UNIT_DONE)
            continue;
        char *why = sn_work_why(p, i);
        note(messages,
             sn_xformat("unit %zu (%s): %s; its output is in %s/log/%04zu", i + 1, p->unit[i].what,
                        why ? why : "not run yet, or lost", p->dir, i + 1));
        free(why);
        named++;
    }
    if (named < missing)
        note(messages,
             sn_xformat("and %zu more: snag campaign status --dir %s", missing - named, p->dir));
}

static char *list_ids(const struct sn_findings *fs, const bool *is_new, size_t n)
{
    char *text;
    size_t bytes, shown = 0;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    for (size_t i = 0; i < n; i++)
        if (is_new[i] && fs->f[i].status > SN_CANDIDATE)
            fprintf(out, "%s%lld", shown++ ? ", " : "", (long long)fs->f[i].id);
    fclose(out);
    return text;
}

static size_t name_new(const struct sn_findings *fs, const bool *is_new, struct sn_words *messages)
{
    size_t fresh = 0, all = 0;
    for (size_t i = 0; i < fs->n; i++) {
        all += fs->f[i].status > SN_CANDIDATE;
        fresh += fs->f[i].status > SN_CANDIDATE && is_new[i];
    }
    char *ids = list_ids(fs, is_new, fs->n);
    if (fresh)
        note(messages, sn_xformat("%zu of %zu new since the last campaign: %s", fresh, all, ids));
    else if (all)
        note(messages,
             sn_xformat("nothing is new since the last campaign: it was all known (%zu)", all));
    free(ids);
    return fresh;
}

static void keep_new(struct sn_findings *fs, const bool *is_new)
{
    size_t kept = 0;
    for (size_t i = 0; i < fs->n; i++) {
        if (is_new[i])
            fs->f[kept++] = fs->f[i];
        else
            sn_finding_clear(&fs->f[i]);
    }
    fs->n = kept;
}

static int read_findings(struct sn_work *w, struct sn_store *store, bool new_only,
                         struct sn_report *r, struct sn_words *messages)
{
    unsigned char id[SN_CAMPAIGN_BYTES];
    bool *is_new = NULL;
    sn_campaign_id_parse(w->plan->id, id);
    int err = sn_store_of_campaign(store, id, w->plan->planned_ns, &r->findings, &is_new);
    if (err)
        return err;
    for (size_t i = 0; i < r->findings.n; i++)
        r->findings.f[i].is_new = is_new[i];
    size_t fresh = name_new(&r->findings, is_new, messages);
    if (new_only)
        keep_new(&r->findings, is_new);
    r->stats = json_pack("{s:I, s:I, s:I}", "units", (json_int_t)w->plan->n, "units_done",
                         (json_int_t)w->done, "new_findings", (json_int_t)fresh);
    free(is_new);
    return sn_store_runs(store, &r->runs);
}

int sn_unite(struct sn_work *w, const char *dir, bool new_only, struct sn_report *r,
             struct sn_words *messages)
{
    struct sn_store *store = NULL;
    char *why = NULL;
    if (sn_store_open(dir, SN_STORE_WRITE, &store, &why) < 0) {
        int status = sn_fail("%s", why);
        free(why);
        return status;
    }
    int err = take_units(w, store);
    if (!err)
        err = keep_seeds(w, store);
    if (!err)
        err = read_findings(w, store, new_only, r, messages);
    if (err)
        sn_say("the units could not be united in %s: %s", dir, sn_store_error(store));
    sn_store_close(store);
    name_missing(w, messages);
    return err ? SN_EXIT_FAILED : 0;
}
