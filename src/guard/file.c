/* file.c: the invariants as the runtime reads them (core/invariants.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/invariants.h"
#include "guard/invariants.h"
#include "store/xalloc.h"

struct out {
    const struct sn_inv *v;
    uint32_t *place;  /* those that go into the file, in its order */
    uint32_t *flags;  /* by place */
    uint32_t *number; /* by place; from 1 */
    uint32_t n, nmodules, nmembers;
};

static const char *module_name(const struct sn_inv *v, int module)
{
    const char *path = sn_keys_path(v->keys, module), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct sn_inv *sorted; /* for qsort */

static int compare(const void *a, const void *b)
{
    const struct sn_inv_place *x = &sorted->place[*(const uint32_t *)a];
    const struct sn_inv_place *y = &sorted->place[*(const uint32_t *)b];
    int c = strncmp(module_name(sorted, x->module), module_name(sorted, y->module),
                    SN_INV_MODULE_BYTES - 1);
    return c ? c : x->returns < y->returns ? -1 : x->returns > y->returns;
}

static void collect(struct out *o, const uint32_t *stall, size_t nstall)
{
    const struct sn_inv *v = o->v;
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].kept)
            o->flags[i] = SN_INV_GUARDED;
    for (size_t i = 0; i < nstall; i++)
        if (v->place[stall[i]].module >= 0)
            o->flags[stall[i]] |= SN_INV_STALL;
    for (size_t i = 1; i < v->n; i++)
        if (o->flags[i])
            o->place[o->n++] = (uint32_t)i;
    sorted = v;
    qsort(o->place, o->n, sizeof *o->place, compare);
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sn_inv_place *p = &v->place[o->place[i]];
        o->number[o->place[i]] = i + 1;
        if (p->module + 1 > (int)o->nmodules)
            o->nmodules = (uint32_t)p->module + 1;
        o->nmembers += p->kept ? (uint32_t)p->nset : 0;
    }
}

static int compare_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void write_modules(FILE *f, const struct out *o)
{
    for (uint32_t i = 0; i < o->nmodules; i++) {
        struct sn_inv_module m = {0};
        snprintf(m.name, sizeof m.name, "%s", module_name(o->v, (int)i));
        fwrite(&m, sizeof m, 1, f);
    }
}

static void write_sites(FILE *f, const struct out *o)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sn_inv_place *p = &o->v->place[o->place[i]];
        struct sn_inv_site s = {p->returns, (uint32_t)p->module, o->flags[o->place[i]], first,
                                p->kept ? (uint32_t)p->nset : 0};
        first += s.count;
        fwrite(&s, sizeof s, 1, f);
    }
}

static void write_members(FILE *f, const struct out *o)
{
    for (uint32_t i = 0; i < o->n; i++) {
        const struct sn_inv_place *p = &o->v->place[o->place[i]];
        if (!p->kept || !p->nset)
            continue;
        uint32_t *set = sn_xcalloc(p->nset, sizeof *set);
        for (size_t j = 0; j < p->nset; j++)
            set[j] = o->number[p->set[j]];
        qsort(set, p->nset, sizeof *set, compare_number);
        fwrite(set, sizeof *set, p->nset, f);
        free(set);
    }
}

int sn_inv_write_file(const struct sn_inv *v, const char *run_dir, const uint32_t *stall,
                      size_t nstall)
{
    struct out o = {v,
                    sn_xcalloc(v->n, sizeof *o.place),
                    sn_xcalloc(v->n, sizeof *o.flags),
                    sn_xcalloc(v->n, sizeof *o.number),
                    0,
                    0,
                    0};
    collect(&o, stall, nstall);
    char *path = sn_xformat("%s/%s", run_dir, SN_INV_FILE);
    FILE *f = fopen(path, "we");
    int r = f ? 0 : -errno;
    if (f) {
        struct sn_inv_head head = {SN_INV_MAGIC, o.nmodules, o.n, o.nmembers, 0};
        fwrite(&head, sizeof head, 1, f);
        write_modules(f, &o);
        write_sites(f, &o);
        write_members(f, &o);
        if (ferror(f) | fclose(f))
            r = -EIO;
    }
    free(path);
    free(o.place);
    free(o.flags);
    free(o.number);
    return r;
}
