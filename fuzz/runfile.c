/*
 * runfile.c: libFuzzer target: any bytes as a run file. Reads every record, every frame that the
 * decoders promise, and looks for lock orders. Build and run: fuzz/run runfile 60
 *
 * SOURCES: src/store/runreader.c src/store/lockorder.c
 */
#include <stdint.h>
#include <stdlib.h>

#include "store/lockorder.h"
#include "store/runreader.h"
#include "store/xalloc.h"

static volatile uint64_t sum;

static void touch(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < bytes; i++)
        sum += p[i];
}

static void touch_finding(const struct sn_run_finding *f)
{
    touch(f->text, f->head->text_bytes);
    touch(f->alloc, f->head->obj_nframes * sizeof *f->alloc);
    for (unsigned i = 0; i < f->head->nsites; i++) {
        const struct sn_run_site *s = &f->site[i];
        touch(s->name, s->head->name_bytes);
        touch(s->locks, s->head->nlocks * sizeof *s->locks);
        touch(s->frames, s->head->nframes * sizeof *s->frames);
        touch(s->created, s->head->ncreated * sizeof *s->created);
    }
}

static void touch_edge(const struct sn_run_edge *e)
{
    touch(e->gates, e->head->ngates * sizeof *e->gates);
    touch(e->from, e->head->nfrom * sizeof *e->from);
    touch(e->to, e->head->nto * sizeof *e->to);
    touch(e->clock, e->head->nclock * sizeof *e->clock);
}

/* What the search promises: a closed cycle of distinct threads. */
static void check_cycle(void *arg, const struct sn_lock_cycle *c)
{
    (void)arg;
    if (c->n < 2 || c->n > SN_LOCK_CYCLE_MAX)
        abort();
    for (unsigned i = 0; i < c->n; i++) {
        if (c->edge[i]->head->to.id != c->edge[(i + 1) % c->n]->head->from.id)
            abort();
        for (unsigned k = 0; k < i; k++) {
            if (c->edge[i]->head->thread == c->edge[k]->head->thread)
                abort();
        }
    }
}

static void read_record(const struct sn_rec *r, struct sn_run_edge **edges, size_t *n, size_t *cap)
{
    struct sn_run_module module;
    struct sn_run_finding finding;
    struct sn_run_lock_info info;
    const char *text;
    size_t bytes;
    if (r->type == SN_REC_MODULE && !sn_run_module(r, &module))
        touch(module.path, module.path_bytes);
    else if (r->type == SN_REC_FINDING && !sn_run_finding(r, &finding))
        touch_finding(&finding);
    else if (r->type == SN_REC_LOCK_INFO && !sn_run_lock_info(r, &info))
        touch(info.alloc, info.head->nframes * sizeof *info.alloc);
    else if (r->type == SN_REC_MESSAGE && !sn_run_text(r, &text, &bytes))
        touch(text, bytes);
    if (r->type != SN_REC_LOCK_EDGE)
        return;
    *edges = sn_xgrow(*edges, *n, cap, sizeof **edges);
    if (!sn_run_edge(r, &(*edges)[*n]))
        touch_edge(&(*edges)[(*n)++]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct sn_run_file f;
    struct sn_run_edge *edges = NULL;
    size_t n = 0, cap = 0;
    const struct sn_rec *r;
    char *why = NULL;
    if (sn_run_load_memory(data, bytes, &f, &why)) {
        if (!why)
            abort(); /* every refusal has words */
        free(why);
        return 0;
    }
    while ((r = sn_run_next(&f)))
        read_record(r, &edges, &n, &cap);
    sn_lock_order(edges, n, check_cycle, NULL);
    free(edges);
    sn_run_unload(&f);
    return 0;
}
